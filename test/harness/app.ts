import type { FastifyInstance } from 'fastify';
import { buildApp } from '../../src/app.ts';
import { issueApiKey } from '../../src/auth/api-key.ts';
import { buildParts } from '../../src/build-parts.ts';
import { readConfig } from '../../src/config.ts';
import { dynamicStatement } from '../../src/db/database.ts';
import { addMerchant } from '../../src/flows/new-merchant.ts';
import type { Parts } from '../../src/flows/parts.ts';
import { deliverDue, deliverWebhooks } from '../../src/jobs/deliver-webhooks.ts';
import { watchInvoices } from '../../src/jobs/watch-invoices.ts';
import { ManualClock } from '../../src/kernel/clock.ts';
import type { Permission } from '../../src/kernel/context.ts';
import { type Logger, silentLog } from '../../src/kernel/log.ts';
import type { HostLookup } from '../../src/kernel/outbound-connect.ts';
import { Client } from './client.ts';
import { borrowTestDatabase, type TestDatabase } from './database.ts';

/** The real app on a real database of its own, with a clock that is moved by hand and the watcher running. */
export interface TestApp {
  app: FastifyInstance;
  parts: Parts;
  clock: ManualClock;
  database: TestDatabase;
  /** A merchant with a simulated test wallet and one client per kind of key. */
  newMerchant(): Promise<TestMerchant>;
  /** Sends every webhook that is due by the clock; the number of attempts. */
  deliverDue(): Promise<number>;
  /** A client that sends no key. */
  stranger: Client;
  /** Rows of a query, for looking behind the API. */
  rows<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export interface TestMerchant {
  id: string;
  test: Client;
  live: Client;
  publishable: Client;
  livePublishable: Client;
  /** A test key narrowed to these permissions. */
  narrowed(...permissions: Permission[]): Promise<Client>;
}

interface TestAppOptions {
  /** Without it nothing looks at invoices by itself. */
  watch?: boolean;
  /** Sends webhooks by itself; without it `deliverDue()` does. */
  deliver?: boolean;
  /** Whether outbound calls may reach this machine; true unless said otherwise. */
  allowPrivateNetworks?: boolean;
  /** The DNS of outbound calls. */
  lookup?: HostLookup;
  log?: Logger;
  env?: NodeJS.ProcessEnv;
  database?: TestDatabase;
  /** One that goes on, for an app that is opened again on the same database. */
  clock?: ManualClock;
}

/** Opens the app; call `close()` in `afterAll`. Live rates are fixed at 50,000 dollars unless `env` says otherwise. */
export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { watch = true, deliver = false, allowPrivateNetworks = true, log = silentLog } = options;
  const database = options.database ?? (await borrowTestDatabase());
  const clock = options.clock ?? new ManualClock(new Date('2027-03-01T10:00:00.000Z'));
  const config = readConfig({ RATE_SOURCES: 'fixed:50000', PORT: '3000', ...database.env, ...options.env });
  const built = await buildParts(config, {
    log,
    clock,
    allowPrivateNetworks,
    strict: true,
    ...(options.lookup ? { lookup: options.lookup } : {}),
    ...(database.engine ? { engine: Promise.resolve(database.engine) } : {}),
  });
  const { parts } = built;
  const app = await buildApp(parts, { mcpAllowedOrigins: config.mcpAllowedOrigins });
  const jobs = [...(watch ? [watchInvoices(parts)] : []), ...(deliver ? [deliverWebhooks(parts)] : [])];

  async function newMerchant(): Promise<TestMerchant> {
    return parts.db.transaction(async (tx) => {
      const now = clock.now();
      const request = { name: 'Test Shop', email: 'shop@example.com', currency: 'usd', timeZone: 'UTC' };
      const { merchantId } = await addMerchant(tx, request, now);
      const client = async (kind: 'secret' | 'publishable', livemode: boolean) => {
        const issued = await issueApiKey(tx, { merchantId, livemode }, { kind, name: kind }, now);
        return new Client(app, issued.key.reveal(), issued.id);
      };
      return {
        id: merchantId,
        test: await client('secret', false),
        live: await client('secret', true),
        publishable: await client('publishable', false),
        livePublishable: await client('publishable', true),
        narrowed: (...permissions) =>
          parts.db.transaction(async (inner) => {
            const terms = { kind: 'secret' as const, name: 'narrowed', permissions };
            const issued = await issueApiKey(inner, { merchantId, livemode: false }, terms, clock.now());
            return new Client(app, issued.key.reveal(), issued.id);
          }),
      };
    });
  }

  return {
    app,
    parts,
    clock,
    database,
    newMerchant,
    deliverDue: () => deliverDue(parts),
    stranger: new Client(app, undefined, undefined),
    rows: (text, values) => parts.db.many(dynamicStatement(text), values),
    async close() {
      await app.close();
      await Promise.all(jobs.map((job) => job.stop()));
      await built.close();
      await database.drop();
    },
  };
}
