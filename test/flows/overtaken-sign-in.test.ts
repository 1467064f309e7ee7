import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../../src/auth/password.ts';
import type { Transaction } from '../../src/db/database.ts';
import { confirmSignIn, findBrowserSignIn, type SignedIn, signInBrowser } from '../../src/flows/browser-sign-in.ts';
import { connectAssistant } from '../../src/flows/connect-assistant.ts';
import { giveRole } from '../../src/flows/give-role.ts';
import { replacePassword } from '../../src/flows/new-password.ts';
import type { Parts } from '../../src/flows/parts.ts';
import { beginSetUp } from '../../src/flows/second-factor.ts';
import { giveDeviceKey, signIn } from '../../src/flows/sign-in.ts';
import { signOutEverywhere } from '../../src/flows/sign-out.ts';
import { takePlaceAway } from '../../src/flows/take-place-away.ts';
import { AppError } from '../../src/kernel/errors.ts';
import { putOauthClient } from '../../src/store/oauth-clients.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { Client } from '../harness/client.ts';
import { onPostgres } from '../harness/database.ts';
import { untilItWaits } from '../harness/interleave.ts';
import { Gate, pauseBefore } from '../harness/pause.ts';
import { addUser } from '../harness/people.ts';
import { codeOf, turnOnSecondFactor } from '../harness/second-factor.ts';
import { Visitor } from '../harness/visitor.ts';

if (!onPostgres) console.log('SKIPPED: two transactions at once need two connections; set TEST_DATABASE_URL');

/**
 * Whoever is on their way in while the account is closed to them stays outside, whichever of the two is first at which
 * step. The races themselves are played on PostgreSQL: the embedded engine has one connection.
 */
let app: TestApp;
let merchant: TestMerchant;
let otherHash: string;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
  await putOauthClient(app.parts.db, 'client', Buffer.from('sealed'), app.clock.now());
  otherHash = await hashPassword('quite another password');
});
afterAll(() => app.close());

type Person = Awaited<ReturnType<typeof addUser>>;
const source = { address: '192.0.2.1', requestId: 'req_test' };
const browser = { device: 'Browser', earlierToken: undefined };
const settle = (work: Promise<unknown>) =>
  work.then(
    () => 'in',
    (error) => (error as AppError).code ?? error,
  );

const changes = {
  'a new password': (tx: Transaction, { id }: Person) => replacePassword(tx, app.parts, id, otherHash, app.clock.now()),
  'signing out everywhere': (tx: Transaction, { id }: Person) => signOutEverywhere(tx, app.parts, id, app.clock.now()),
  'another role': (tx: Transaction, { id: userId }: Person) =>
    giveRole(tx, { userId, merchantId: merchant.id, role: 'cashier', now: app.clock.now() }),
  'taking the place away': (tx: Transaction, { id: userId }: Person) =>
    takePlaceAway(tx, { userId, merchantId: merchant.id, now: app.clock.now() }),
};
type Change = keyof typeof changes;

async function signedIn(person: Person): Promise<SignedIn> {
  const { token } = await signInBrowser(app.parts, { ...person, ...source }, browser);
  return (await findBrowserSignIn(app.parts, token))!;
}

/** The parts, where `meanwhile` happens as soon as a password was found to be right. */
function afterTheCheck(meanwhile: () => Promise<unknown>): Parts {
  const take: Parts['passwordTurns']['take'] = async (address, work) => {
    const result = await app.parts.passwordTurns.take(address, work);
    await meanwhile();
    return result;
  };
  return { ...app.parts, passwordTurns: { ...app.parts.passwordTurns, take } };
}

describe('a password that was checked', () => {
  const doors: Record<string, (parts: Parts, person: Person, earlier: SignedIn) => Promise<unknown>> = {
    'a sign-in of the API': (parts, person) => signIn(parts, { ...person, ...source, code: undefined }),
    'a sign-in of a browser': (parts, person) => signInBrowser(parts, { ...person, ...source }, browser),
    'the set-up of an app': (parts, person, earlier) => beginSetUp(parts, earlier, { ...person, ...source }),
  };
  for (const [name, enter] of Object.entries(doors)) {
    test(`and replaced before ${name} is through opens nothing`, async () => {
      const person = await addUser(app, [merchant]);
      const earlier = await signedIn(person);
      const parts = afterTheCheck(() => app.parts.db.transaction((tx) => changes['a new password'](tx, person)));
      expect(await settle(enter(parts, person, earlier))).toBe('invalid_token');
      const open = await app.rows('select from user_sessions where user_id = $1 and revoked_at is null', [person.id]);
      expect(open).toEqual([]);
      expect(await app.rows('select from second_factors where user_id = $1', [person.id])).toEqual([]);
    });
  }

  test('is not enough once a second factor was turned on', async () => {
    const doorsIn = [doors['a sign-in of the API']!, doors['a sign-in of a browser']!];
    for (const enter of doorsIn) {
      const person = await addUser(app, [merchant]);
      const visitor = new Visitor(app.app);
      await visitor.signIn(person);
      const parts = afterTheCheck(() => turnOnSecondFactor(app, visitor, person.password));
      expect(await settle(enter(parts, person, undefined as never))).toBe('invalid_token');
    }
  });

  test('and signed out before its code came leads nowhere', async () => {
    const person = await addUser(app, [merchant]);
    const visitor = new Visitor(app.app);
    await visitor.signIn(person);
    const { secret } = await turnOnSecondFactor(app, visitor, person.password);
    const { token, needsCode } = await signInBrowser(app.parts, { ...person, ...source }, browser);
    expect(needsCode).toBe(true);
    const gate = new Gate();
    const parts = { ...app.parts, db: pauseBefore(app.parts.db, 'users_reset_failures', gate) };
    const confirmed = confirmSignIn(parts, token, codeOf(app, secret, 1), source, null);
    await gate.reached;
    await app.parts.db.transaction((tx) => changes['signing out everywhere'](tx, person));
    gate.goOn();
    expect(await confirmed).toBeUndefined();
  });
});

/** Ways to something that lasts: the statement that writes it, and whether what it gave still works. */
const ways = {
  'a sign-in': {
    statement: 'user_sessions_insert',
    async start(person: Person) {
      return async (parts: Parts) => {
        const { token } = await signIn(parts, { ...person, ...source, code: undefined });
        return async () => (await activated(token)).status === 200;
      };
    },
  },
  'an activation': {
    statement: 'api_keys_mark_device',
    async start(person: Person) {
      const { token } = await signIn(app.parts, { ...person, ...source, code: undefined });
      return async (parts: Parts) => {
        const { key } = await giveDeviceKey(parts, {
          sessionToken: token,
          merchantId: merchant.id,
          deviceName: 'POS',
          livemode: false,
          requestId: 'req_test',
        });
        return async () => (await new Client(app.app, key, undefined).get('/api/v1/m/orders')).status === 200;
      };
    },
  },
  'an assistant': {
    statement: 'oauth_connections_insert',
    async start(person: Person) {
      const { sessionId } = await signedIn(person);
      return async (parts: Parts) => {
        const id = await connectAssistant(parts, {
          userId: person.id,
          sessionId,
          merchantId: merchant.id,
          livemode: false,
          client: { id: 'client', name: 'Assistant', redirectHost: 'assistant.example' },
          scopes: ['catalog'],
          requestId: 'req_test',
        });
        const works = 'select from oauth_connections where id = $1 and revoked_at is null';
        return async () => (await app.rows(works, [id])).length === 1;
      };
    },
  },
};

const activated = (session_token: string) =>
  app.stranger.post('/api/v1/m/sessions/activate', { session_token, merchant_id: merchant.id, livemode: false });

const races: [keyof typeof ways, Change][] = [
  ['a sign-in', 'a new password'],
  ['an activation', 'a new password'],
  ['an activation', 'signing out everywhere'],
  ['an activation', 'another role'],
  ['an activation', 'taking the place away'],
  ['an assistant', 'signing out everywhere'],
  ['an assistant', 'another role'],
  ['an assistant', 'taking the place away'],
];

describe.runIf(onPostgres)('two transactions at once', () => {
  for (const [way, change] of races) {
    test(`${way} comes while ${change} is being written`, async () => {
      const person = await addUser(app, [merchant]);
      const enter = await ways[way].start(person);
      const gate = new Gate();
      const changing = app.parts.db.transaction(async (tx) => {
        await changes[change](tx, person);
        await gate.pass();
      });
      await gate.reached;
      const entering = enter(app.parts);
      await untilItWaits(app, entering);
      gate.goOn();
      await changing;
      const works = await entering.catch((error) => {
        expect(error).toBeInstanceOf(AppError);
        return undefined;
      });
      // Another role only changes what the key may do.
      if (way === 'an activation' && change === 'another role') {
        const [key] = await app.rows<{ permissions: string[] }>(
          'select permissions from api_keys where user_id = $1 and revoked_at is null',
          [person.id],
        );
        expect(key!.permissions).toContain('orders:write');
      } else expect(await works?.()).toBeFalsy();
    });

    test(`${change} comes while ${way} is being written`, async () => {
      const person = await addUser(app, [merchant]);
      const enter = await ways[way].start(person);
      const gate = new Gate();
      const entering = enter({ ...app.parts, db: pauseBefore(app.parts.db, ways[way].statement, gate) });
      await gate.reached;
      const changing = app.parts.db.transaction(async (tx) => {
        await changes[change](tx, person);
      });
      await untilItWaits(app, changing);
      gate.goOn();
      const works = await entering;
      await changing;
      app.parts.authenticator.forget();
      expect(await works()).toBe(false);
    });
  }
});
