import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resetSecondFactor } from '../../../src/flows/second-factor.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { addUser } from '../../harness/people.ts';
import { codeOf, recoveryCodesIn, secretIn, turnOnSecondFactor } from '../../harness/second-factor.ts';
import { Visitor } from '../../harness/visitor.ts';

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

const page = '/account/second-factor';

interface Person {
  id: string;
  email: string;
  password: string;
  visitor: Visitor;
  /** What the app shows, so many steps from now. */
  code(stepsAhead?: number): string;
  recoveryCodes: string[];
}

const isSignedIn = async (visitor: Visitor) => (await visitor.get('/account')).status === 200;
const signInApi = (person: Person, otp?: string) =>
  app.stranger.post('/api/v1/m/sessions', { email: person.email, password: person.password, otp });
const actionsOf = async (person: Person) =>
  (
    await app.rows<{ action: string }>('select action from audit_log where subject_id = $1 order by number', [
      person.id,
    ])
  ).map(({ action }) => action);

async function signedIn(): Promise<Person> {
  const user = await addUser(app, [merchant]);
  const visitor = new Visitor(app.app);
  await visitor.signIn(user);
  return { ...user, visitor, code: () => '', recoveryCodes: [] };
}

/** Somebody whose second factor is on; the codes of the present step and before are used up. */
async function secured(): Promise<Person> {
  const person = await signedIn();
  const { secret, recoveryCodes } = await turnOnSecondFactor(app, person.visitor, person.password);
  return { ...person, recoveryCodes, code: (stepsAhead) => codeOf(app, secret, stepsAhead) };
}

/** A browser that has shown the password, and is asked for the code. */
async function halfIn(person: Person): Promise<Visitor> {
  const visitor = new Visitor(app.app);
  const { status, headers } = await visitor.signIn(person);
  expect([status, headers.location]).toEqual([303, '/sign-in/code']);
  return visitor;
}

describe('setting up', () => {
  test('takes the password and a code of the app, shows ten recovery codes once, and ends other sign-ins', async () => {
    const person = await signedIn();
    const other = new Visitor(app.app);
    await other.signIn(person);
    expect((await person.visitor.submit(page, { password: 'wrong' })).status).toBe(401);
    await person.visitor.submit(page, { password: person.password });
    const { html } = await person.visitor.get(page);
    const secret = secretIn(html);
    const stale = await person.visitor.submit(`${page}/confirm`, { code: codeOf(app, secret, -3) });
    expect([stale.status, stale.html.includes('That code is wrong')]).toEqual([401, true]);
    // Not on yet: the password is enough.
    expect((await signInApi(person)).status).toBe(200);
    const on = await person.visitor.submit(`${page}/confirm`, { code: codeOf(app, secret) });
    const codes = recoveryCodesIn(on.html);
    expect([on.status, new Set(codes).size, on.headers['cache-control']]).toEqual([200, 10, 'no-store']);
    expect([await isSignedIn(person.visitor), await isSignedIn(other)]).toEqual([true, false]);
    expect(await actionsOf(person)).toEqual(['turn_on_second_factor']);
    // Neither secret nor codes lie about.
    const rows = JSON.stringify([
      await app.rows(`select *, encode(secret, 'escape') as text from second_factors`),
      await app.rows(`select *, encode(code_hash, 'escape') as text from recovery_codes`),
    ]);
    for (const hidden of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))]) {
      expect(rows).not.toContain(hidden);
    }
    const later = await person.visitor.get(page);
    expect(later.html).not.toContain(secret);
    expect(recoveryCodesIn(later.html)).toEqual([]);
  });

  test('a form that is sent twice leads to the page that says it is on: a browser shows the second answer', async () => {
    const person = await signedIn();
    await person.visitor.submit(page, { password: person.password });
    const code = codeOf(app, secretIn((await person.visitor.get(page)).html));
    expect((await person.visitor.submit(`${page}/confirm`, { code })).status).toBe(200);
    const again = await person.visitor.submit(`${page}/confirm?locale=de`, { code });
    expect([again.status, again.headers.location]).toEqual([303, `${page}?locale=de`]);
    expect((await person.visitor.get(page)).html).toMatch(/Recovery codes left: <bdi dir="ltr">10</);
  });

  test('a form with a fault may be read in another language, and loaded again', async () => {
    const { visitor, password } = await secured();
    for (const form of ['confirm', 'recovery-codes', 'off']) {
      const path = `${page}/${form}`;
      // Where the browser is once the form was refused, and where the menu of languages leads from there.
      await visitor.submit(path, { password, code: 'wrong' });
      const { status, headers } = await visitor.get(`${path}?locale=de`);
      expect([form, status, headers.location]).toEqual([form, 303, `${page}?locale=de`]);
    }
  });

  test('goes stale after ten minutes, and cannot be begun while it is on', async () => {
    const person = await signedIn();
    await person.visitor.submit(page, { password: person.password });
    app.clock.advanceSeconds(601);
    expect((await person.visitor.get(page)).html).not.toContain('<svg class="qr"');
    expect((await person.visitor.submit(`${page}/confirm`, { code: '123456' })).status).toBe(409);
    const { visitor, password, code } = await secured();
    expect((await visitor.submit(page, { password, code: code(1) })).status).toBe(401);
    expect((await visitor.submit(`${page}/confirm`, { code: code(1) })).status).toBe(303);
  });
});

describe('signing in', () => {
  test('takes a code after the password; the cookie between the two opens nothing', async () => {
    const person = await secured();
    const visitor = await halfIn(person);
    const between = visitor.cookie!;
    expect(await isSignedIn(visitor)).toBe(false);
    expect((await visitor.get(page)).status).toBe(303);
    const activation = { session_token: between.split('=')[1], merchant_id: merchant.id };
    expect((await app.stranger.post('/api/v1/m/sessions/activate', activation)).status).toBe(401);
    expect((await visitor.get('/sign-in/code?return_to=%2Fdocs')).status).toBe(200);
    const done = await visitor.submit('/sign-in/code?return_to=%2Fdocs', { code: person.code(1) });
    expect([done.status, done.headers.location]).toEqual([303, '/docs']);
    expect(visitor.cookie).not.toBe(between);
    expect(await isSignedIn(visitor)).toBe(true);
    const replayed = await new Visitor(app.app, between).submit('/sign-in/code', { code: person.code(2) });
    expect(replayed.headers.location).toBe('/sign-in');
  });

  test('keeps the way back through the code', async () => {
    const person = await secured();
    const visitor = new Visitor(app.app);
    const { headers } = await visitor.signIn(person, '/sign-in?return_to=%2Fdocs%3Fa%3D1&locale=de');
    expect(headers.location).toBe('/sign-in/code?return_to=%2Fdocs%3Fa%3D1&locale=de');
    const { html } = await visitor.get(headers.location!);
    expect(html).toContain('Code eingeben');
    for (const evil of ['//evil.example', '/\\evil.example', 'https://evil.example']) {
      const page = await visitor.get(`/sign-in/code?return_to=${encodeURIComponent(evil)}`);
      expect(page.html).not.toContain('evil');
    }
  });

  test('a code counts once, and none before it afterwards', async () => {
    const person = await secured();
    app.clock.advanceSeconds(90);
    const first = await halfIn(person);
    const second = await halfIn(person);
    expect((await first.submit('/sign-in/code', { code: person.code() })).status).toBe(303);
    for (const steps of [0, -1]) {
      const again = await second.submit('/sign-in/code', { code: person.code(steps) });
      expect([again.status, again.html.includes('was used before')]).toEqual([401, true]);
    }
    expect((await second.submit('/sign-in/code', { code: person.code(1) })).status).toBe(303);
  });

  test('of two who send the same code at once one gets in', async () => {
    const person = await secured();
    const visitors = [await halfIn(person), await halfIn(person)];
    const code = person.code(1);
    const statuses = await Promise.all(
      visitors.map(async (one) => (await one.submit('/sign-in/code', { code })).status),
    );
    expect(statuses.sort()).toEqual([303, 401]);
  });

  test('a recovery code counts once, however it is typed', async () => {
    const person = await secured();
    const [code = ''] = person.recoveryCodes;
    const visitor = await halfIn(person);
    const typed = code.toUpperCase().replaceAll('-', ' ');
    expect((await visitor.submit('/sign-in/code', { recovery_code: typed })).status).toBe(303);
    const used = await (await halfIn(person)).submit('/sign-in/code', { recovery_code: code });
    expect(used.status).toBe(401);
    // Beside the field it was typed into, which is open and keeps it.
    expect(used.html).toContain('<details class="more" open>');
    expect(used.html).toMatch(new RegExp(`<input[^>]+id="recovery_code"[^>]+aria-invalid="true"[^>]+value="${code}"`));
    expect(used.html).toContain('<p class="fault" id="recovery_code-fault">That recovery code is wrong');
    expect(used.html).not.toContain('id="code-fault"');
    expect((await visitor.get(page)).html).toMatch(/Recovery codes left: <bdi dir="ltr">9</);
    expect(await actionsOf(person)).toEqual(['turn_on_second_factor', 'use_recovery_code']);
  });

  test('somebody else’s code, nonsense and nothing are refused', async () => {
    const person = await secured();
    const other = await secured();
    const visitor = await halfIn(person);
    for (const [form, status] of [
      [{}, 400],
      [{ code: 'x'.repeat(200) }, 400],
      [{ code: '000' }, 401],
      [{ code: '１２３４５６' }, 401],
      [{ recovery_code: other.recoveryCodes[0]! }, 401],
    ] as [Record<string, string>, number][]) {
      expect([form, (await visitor.submit('/sign-in/code', form)).status]).toEqual([form, status]);
    }
    expect((await new Visitor(app.app).submit('/sign-in/code', { code: '123456' })).headers.location).toBe('/sign-in');
  });

  test('five wrong codes lock the account, and the password in between takes none of them back', async () => {
    const person = await secured();
    for (let i = 0; i < 5; i++) {
      const wrong = await (await halfIn(person)).submit('/sign-in/code', { code: '12345x' });
      expect([i, wrong.status]).toEqual([i, 401]);
    }
    expect((await signInApi(person, person.code(1))).status).toBe(429);
    // The account, not only the count of tries of this process.
    await app.parts.signInTries.byAccount.forget(person.email);
    expect((await signInApi(person, person.code(1))).status).toBe(423);
    app.clock.advanceSeconds(901);
    expect((await signInApi(person, person.code())).status).toBe(200);
  });

  test('a browser that showed the password before the lock is told of it, and of too many tries', async () => {
    const person = await secured();
    const visitor = await halfIn(person);
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await visitor.submit('/sign-in/code', { code: '000' })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 423, 423, 423, 423, 429, 429]);
    app.clock.advanceSeconds(301);
    // The step between is over by then.
    expect((await visitor.submit('/sign-in/code', { code: person.code() })).headers.location).toBe('/sign-in');
    app.clock.advanceSeconds(901);
  });
});

describe('a device of the API', () => {
  test('sends the code beside the password: 401 without it, with a wrong one, and with one that was used', async () => {
    const person = await secured();
    const missing = await signInApi(person);
    expect([missing.status, missing.body.error.code]).toEqual([401, 'invalid_token']);
    expect(missing.body.error.message).toContain('otp');
    expect((await signInApi(person, '000000x')).status).toBe(401);
    const signed = await signInApi(person, person.code(1));
    expect([signed.status, Object.keys(signed.body).sort()]).toEqual([200, ['merchants', 'session_token']]);
    expect((await signInApi(person, person.code(1))).status).toBe(401);
    expect((await signInApi(person, person.recoveryCodes[3])).status).toBe(200);
  });

  test('says nothing of the second factor to who does not know the password', async () => {
    const person = await secured();
    for (const otp of [undefined, person.code(1)]) {
      const { status, body } = await signInApi({ ...person, password: 'wrong' }, otp);
      expect([status, body.error.message]).toEqual([401, 'The e-mail address or the password is wrong']);
    }
    // It was not used up either.
    expect((await signInApi(person, person.code(1))).status).toBe(200);
  });

  test('of somebody without one may send anything there; other types are 400', async () => {
    const person = await signedIn();
    expect((await signInApi(person, '123456')).status).toBe(200);
    const { email, password } = person;
    expect((await app.stranger.post('/api/v1/m/sessions', { email, password, otp: 123456 })).status).toBe(400);
    expect((await app.stranger.post('/api/v1/m/sessions', { email, password, otp: null })).status).toBe(200);
  });
});

describe('turning it off', () => {
  test('takes password and code; a stolen cookie alone changes nothing', async () => {
    const person = await secured();
    const { visitor, password, code } = person;
    for (const form of [
      {},
      { password },
      { code: code(1) },
      { password: 'wrong', code: code(1) },
      { password, code: '1' },
    ]) {
      for (const deed of ['off', 'recovery-codes']) {
        expect((await visitor.submit(`${page}/${deed}`, form as Record<string, string>)).status).toBe(401);
        await app.parts.signInTries.byAccount.forget(person.email);
        await app.rows('update users set failed_count = 0, locked_until = null where id = $1', [person.id]);
      }
    }
    expect((await visitor.submit(`${page}/off`, { password, code: code(1) })).headers.location).toBe('/account');
    expect((await signInApi(person)).status).toBe(200);
    expect(await app.rows('select user_id from recovery_codes where user_id = $1', [person.id])).toEqual([]);
    expect(await actionsOf(person)).toEqual(['turn_on_second_factor', 'turn_off_second_factor']);
    expect((await visitor.submit(`${page}/off`, { password, code: code(1) })).status).toBe(409);
  });

  test('new recovery codes end the earlier ones', async () => {
    const person = await secured();
    const { visitor, password, recoveryCodes } = person;
    const renewed = await visitor.submit(`${page}/recovery-codes`, { password, code: person.code(1) });
    const codes = recoveryCodesIn(renewed.html);
    expect([renewed.status, codes.length]).toEqual([200, 10]);
    expect((await signInApi(person, recoveryCodes[5])).status).toBe(401);
    expect((await signInApi(person, codes[5])).status).toBe(200);
  });

  test('an operator does it for who has lost everything', async () => {
    const person = await secured();
    const reset = () =>
      app.parts.db.transaction((tx) =>
        resetSecondFactor(tx, app.parts, person, { subject: '', text: '' }, app.clock.now()),
      );
    expect([await reset(), await reset()]).toEqual([true, false]);
    expect((await signInApi(person)).status).toBe(200);
    const [entry] = await app.rows(
      `select actor from audit_log where subject_id = $1 and action = 'reset_second_factor'`,
      [person.id],
    );
    expect(entry).toEqual({ actor: 'operator' });
  });
});
