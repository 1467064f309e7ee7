import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { startBlinkServer } from '../rig/blink-server.ts';
import { startBtcpayServer } from '../rig/btcpay-server.ts';
import { startClnServer } from '../rig/cln-server.ts';
import { startLnbitsServer } from '../rig/lnbits-server.ts';
import { startLndServer } from '../rig/lnd-server.ts';
import { startNwcServer } from '../rig/nwc-server.ts';
import { startPhoenixdServer } from '../rig/phoenixd-server.ts';
import type { WalletServer } from '../rig/wallet-server.ts';
import { LnurlServer } from '../support/lnurl-server.ts';
import { PaperNode } from '../support/paper-node.ts';
import { satlineHere } from './run-in-process.ts';
import { satline } from './run-satline.ts';

// What people paste, as they paste it; a wallet of each kind answers behind its server.

let database: TestDatabase;
const node = new PaperNode(systemClock);
const servers: Pick<WalletServer, 'stop'>[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  await run('merchant', 'create', '--name', 'Shop', '--email', 'shop@example.com');
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await database.drop();
});

const environment = () => ({ ...database.env, ALLOW_PRIVATE_NETWORKS: 'true', HOST: '127.0.0.1' });
const run = (...words: string[]) => satlineHere(environment(), ...words);

interface Paste {
  /** Words after `wallet add` for a credential that can only receive, and for one that could spend. */
  readonly receiving: readonly string[];
  readonly spending?: readonly string[];
  /** What must not be printed or kept readable. */
  readonly secrets: readonly string[];
}

const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url');

async function kept<Server extends Pick<WalletServer, 'stop'>>(starting: Promise<Server>): Promise<Server> {
  const server = await starting;
  servers.push(server);
  return server;
}

const kinds: Record<string, () => Promise<Paste>> = {
  async lightning_address() {
    const server = await kept(LnurlServer.start());
    return { receiving: [`lightning:Till@${server.host}`], secrets: [] };
  },
  async nwc() {
    const server = await kept(startNwcServer(node, 2));
    const { secret, spendingSecret } = server;
    return {
      receiving: [server.uri()],
      spending: [server.uri(spendingSecret)],
      secrets: [secret, spendingSecret],
    };
  },
  async lnd() {
    const { url, invoiceMacaroon, adminMacaroon } = await kept(startLndServer(node));
    const paste = (macaroon: string) => [`lnd+${url}?macaroon=${base64url(macaroon)}`];
    const secrets = [invoiceMacaroon, adminMacaroon, base64url(invoiceMacaroon)];
    return { receiving: paste(invoiceMacaroon), spending: paste(adminMacaroon), secrets };
  },
  async cln() {
    const { url, rune, masterRune } = await kept(startClnServer(node));
    const plain = url.replace('http://', 'clnrest+http://');
    return {
      receiving: [`${plain}?rune=${encodeURIComponent(rune)}`],
      spending: [`${plain}?rune=${encodeURIComponent(masterRune)}`],
      secrets: [rune, masterRune],
    };
  },
  async phoenixd() {
    const { url, limitedPassword, fullPassword } = await kept(startPhoenixdServer(node));
    return {
      receiving: [`type=phoenixd;server=${url};password=${limitedPassword}`],
      spending: [`type=phoenixd;server=${url};password=${fullPassword}`],
      secrets: [limitedPassword, fullPassword],
    };
  },
  async lnbits() {
    const { url, invoiceKey, adminKey } = await kept(startLnbitsServer(node));
    return {
      receiving: [`${url}/wallet?usr=someone`, '--key', invoiceKey],
      spending: [`${url}/wallet?usr=someone`, '--key', adminKey],
      secrets: [invoiceKey, adminKey],
    };
  },
  async btcpay() {
    const server = await kept(startBtcpayServer(node));
    const words = [`${server.url}/stores/${server.storeId}/lightning/BTC`, '--key', server.apiKey];
    return { receiving: words, secrets: [server.apiKey] };
  },
  async blink() {
    const { url, apiKey } = await kept(startBlinkServer(node));
    return { receiving: [`type=blink;server=${url}/graphql;api-key=${apiKey}`], secrets: [apiKey] };
  },
};

const pasted = new Map<string, Paste>();

/** What a credential that could spend is answered with: how to make one that cannot. */
const advice: Record<string, RegExp> = {
  nwc: /"make invoices" and "look up invoices" only/,
  lnd: /lncli bakemacaroon invoices:read invoices:write/,
  cln: /lightning-cli createrune restrictions=/,
  phoenixd: /http-password-limited-access/,
  lnbits: /invoice\/read key/,
};

describe.each(Object.entries(kinds))('wallet add, %s', { timeout: 120_000 }, (kind, open) => {
  test('takes what is pasted, asks the wallet first, says how payments are seen, and keeps secrets to itself', async () => {
    const { receiving, spending, secrets } = await open();
    if (spending) {
      const refused = await run('wallet', 'add', ...spending);
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toMatch(/could spend from the wallet/);
      expect(refused.stderr).toMatch(advice[kind]!);
      expect(refused.stderr).toMatch(/With --accept-spend-risk it is saved as it is\.\n$/);
      for (const secret of secrets) expect(refused.stderr).not.toContain(secret);
    }
    // That which needs most of what the build gathers is added by the built command.
    const satlineOf = kind === 'nwc' ? satline : satlineHere;
    const added = await satlineOf(environment(), 'wallet', 'add', ...receiving);
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect(added.stdout).toMatch(/state {2,}takes payments\n {2}settlement {2,}seen, with a proof/);
    expect(added.stdout).toMatch(/one payment (from 1|1 to [\d,]+) sats/);
    for (const secret of secrets) expect(added.stdout).not.toContain(secret);
    pasted.set(kind, { receiving, secrets });
  });
});

describe('wallets that were added', { timeout: 120_000 }, () => {
  test('are listed with their health and without their secrets, and not added twice', async () => {
    const { stdout } = await run('wallet', 'list', '--json');
    const { data } = JSON.parse(stdout);
    for (const [kind, { secrets }] of pasted) {
      const saved = data.find(({ connection }: { connection: string }) => connection === kind);
      expect(saved).toMatchObject({ operational: true, last_error: null, consecutive_failures: 0 });
      expect(saved.last_checked_at).toMatch(/Z$/);
      for (const secret of secrets) expect(stdout).not.toContain(secret);
    }
    const twice = await run('wallet', 'add', ...pasted.get('nwc')!.receiving);
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('is connected already')]);
  });

  test('saves a credential that could spend when that is insisted on, and warns', async () => {
    const server = await kept(startPhoenixdServer(node));
    const paste = `type=phoenixd;server=${server.url};password=${server.fullPassword}`;
    const added = await run('wallet', 'add', paste, '--accept-spend-risk', '--name', 'Risky');
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect(added.stdout).toMatch(/What was saved could spend from this wallet; a receive-only one is safer\.\n$/);
  });

  test('saves nothing of a wallet that does not answer, or knows another secret', async () => {
    const server = await kept(startLnbitsServer(node));
    const wrong = await run('wallet', 'add', `lnbits+${server.url}`, '--key', 'ff'.repeat(16));
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/LNbits does not know this key/);
    await server.stop();
    const away = await run('wallet', 'add', `lnbits+${server.url}`, '--key', server.invoiceKey);
    expect([away.code, away.stderr]).toEqual([1, expect.stringMatching(/try again later\.\n$/)]);
    const names = (await run('wallet', 'list', '--json')).json().data.map(({ name }: { name: string }) => name);
    expect(names).not.toContain(`LNbits at ${new URL(server.url).host}`);
  });

  test('changes and removes what was added', async () => {
    const wallets = (await run('wallet', 'list', '--json')).json().data;
    const { id } = wallets.find(({ name }: { name: string }) => name === 'Risky');
    const nothing = await run('wallet', 'change', id);
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('Nothing to change was named')]);
    const words = ['--name', 'Safer', '--position', '0', '--max-payment-sats', '5000', '--takes-preimages', 'yes'];
    expect((await run('wallet', 'change', id, ...words, '--json')).json()).toMatchObject({
      name: 'Safer',
      position: 0,
      is_default: true,
      takes_preimages: true,
      lightning: { max_payment_sats: 5000 },
    });
    const lifted = await run('wallet', 'change', id, '--no-max-payment-sats', '--json');
    expect(lifted.json()).toMatchObject({ name: 'Safer', lightning: { max_payment_sats: null } });
    expect((await run('wallet', 'remove', id, '--json')).json()).toEqual({ object: 'wallet', id, deleted: true });
    const gone = await run('wallet', 'remove', id);
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('No wallet has the id')]);
  });
});
