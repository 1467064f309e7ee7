import { setMaxListeners } from 'node:events';
import { createAuthenticator } from './auth/authenticate.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { type EmbeddedEngine, embeddedDirectory } from './db/embedded/open.ts';
import { connectEmbedded, openEmbeddedDatabase } from './db/embedded.ts';
import { migrate } from './db/migrate.ts';
import { openPostgres } from './db/postgres.ts';
import { createAccessKeys } from './entitlements/access-keys.ts';
import type { Links, Parts, RatesByMode } from './flows/parts.ts';
import { createToolCallLog } from './flows/tool-call-log.ts';
import { mostAtOnce } from './jobs/deliver-webhooks.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import type { Logger } from './kernel/log.ts';
import { createMailer } from './kernel/mailer.ts';
import { createMetrics } from './kernel/metrics.ts';
import { createOutbound, type Outbound } from './kernel/outbound.ts';
import type { HostLookup } from './kernel/outbound-connect.ts';
import { type Sealer, secretsKeyId } from './kernel/secrets.ts';
import { createPasswordTurns } from './limits/password-turns.ts';
import { createPublicQuota } from './limits/public-quota.ts';
import { createRateLimiter } from './limits/rate-limiter.ts';
import { createSharedTries } from './limits/shared-tries.ts';
import { createStreamSlots } from './limits/stream-slots.ts';
import { createUsage } from './limits/usage.ts';
import { createVisitorPace } from './limits/visitor-pace.ts';
import { createVisitorPlaces } from './limits/visitor-places.ts';
import { protectedResource } from './model/oauth-connection.ts';
import { createLateSealer, openSealer } from './open-sealer.ts';
import { createFixedRates } from './rates/fixed-rate.ts';
import type { HttpGet } from './rates/rate.ts';
import { createRates } from './rates/rates.ts';
import { openSource } from './rates/sources.ts';
import type { RateSourcesSetting } from './rates/sources-setting.ts';
import { readSecretsKeys } from './secrets-keys.ts';
import { sealingSessionName } from './store/sealing-sessions.ts';
import { hasSecretsChecks } from './store/settings.ts';
import { openConnector } from './wallets/connectors.ts';
import { createWalletRuntime } from './wallets/runtime.ts';

/** Event streams that the servers of one merchant may hold open. */
const streamsPerMerchant = 20;
/** Event streams that payers' pages may hold open; a page that gets none polls. */
const streamsPerCheckout = 6;
const streamsPerNetwork = 60;

export interface BuiltParts {
  parts: Parts;
  links: { -readonly [Member in keyof Links]: Links[Member] };
  /** Ends everything that was opened, the database last. */
  close(): Promise<void>;
}

interface OpeningParts extends BuiltParts {
  /**
   * When the schema is up to date and the secrets key is the database's. Before, parts may be handed on but not used.
   * Whoever sees this fail closes them.
   */
  readonly ready: Promise<void>;
}

interface BuildOptions {
  log: Logger;
  clock?: Clock;
  /** Outbound calls may reach this machine and its network. */
  allowPrivateNetworks: boolean;
  /** For tests: answers are checked against their schemas, statements against the transaction they belong to. */
  strict?: boolean;
  /** How host names of outbound calls are resolved; tests put their own DNS here. */
  lookup?: HostLookup;
  onFatal?: (error: Error) => void;
  /** An embedded engine that somebody opens and will close: the server opens it early, tests share one. */
  engine?: Promise<EmbeddedEngine>;
}

/** Opens the database, brings its schema up to date, and builds what the process is made of. Starts no loops. */
export async function buildParts(config: Config, options: BuildOptions): Promise<BuiltParts> {
  const opening = await beginParts(config, options);
  try {
    await opening.ready;
    return opening;
  } catch (error) {
    await opening.close().catch(() => {});
    throw error;
  }
}

/** The same, with the parts at hand while an engine still opens: what is built of them need not wait. */
export async function beginParts(config: Config, options: BuildOptions): Promise<OpeningParts> {
  const { log, clock = systemClock, allowPrivateNetworks } = options;
  const db = await openDatabase(config, log, options);
  const sealer = createLateSealer();
  const ready = prepareDatabase(db, config, log).then((opened) => sealer.become(opened));
  ready.catch(() => {});
  try {
    const reach = { allowPrivateNetworks, ...(options.lookup ? { lookup: options.lookup } : {}) };
    const outbound = createOutbound(reach);
    const endpoints = createOutbound({ ...reach, connectionsPerOrigin: mostAtOnce });
    const stopping = new AbortController();
    // Every call to a wallet listens; Node warns of more than ten.
    setMaxListeners(0, stopping.signal);
    const rates: RatesByMode = {
      live: liveRates(config.rateSources, outbound, clock, log),
      test: createFixedRates(clock),
    };
    const support = { db, sealer, clock, outbound, allowHttp: allowPrivateNetworks, walletHosts: config.walletHosts };
    const metrics = createMetrics();
    const wallets = createWalletRuntime({ db, clock, log, metrics, open: (wallet) => openConnector(support, wallet) });
    const mailer = config.smtpUrl === undefined ? undefined : createMailer(config.smtpUrl, config.mailFrom!);
    const links = { publicUrl: config.publicUrl, payUrl: config.payUrl };
    const tries = (name: string, most: number, windowSeconds: number) =>
      createSharedTries({ db, log, sealer }, { name, most, windowSeconds });
    const parts: Parts = {
      db,
      clock,
      log,
      sealer,
      rates,
      wallets,
      endpoints,
      streams: createStreamSlots(1000, streamsPerMerchant),
      payerStreams: createStreamSlots(1000, streamsPerCheckout, streamsPerNetwork),
      publicQuota: createPublicQuota(),
      visitorPace: createVisitorPace(),
      visitorPlaces: createVisitorPlaces(),
      metrics,
      usage: createUsage(db),
      toolCalls: createToolCallLog(db, log),
      rateLimiter: createRateLimiter(db, log),
      passwordTurns: createPasswordTurns(),
      // A shop's whole staff may share an address.
      signInTries: { byAccount: tries('account', 10, 15 * 60), byAddress: tries('address', 60, 60) },
      preimageTries: tries('preimage', 10, 10 * 60),
      // Three for an account in an hour fill nobody's mailbox.
      linkTries: { byAccount: tries('link to account', 3, 3600), byAddress: tries('link from address', 20, 3600) },
      authenticator: createAuthenticator(db, clock, () => protectedResource(links.publicUrl)),
      accessKeys: createAccessKeys(db, sealer, clock),
      links,
      mailer,
      stopping: stopping.signal,
      strictAnswers: options.strict ?? false,
    };
    return {
      parts,
      links,
      ready,
      async close() {
        stopping.abort();
        rates.live.stop();
        mailer?.close();
        await wallets.close();
        await outbound.close();
        await endpoints.close();
        await parts.toolCalls.flush().catch((error) => log.error({ err: error }, 'tool calls were not noted'));
        await db.close();
      },
    };
  } catch (error) {
    await db.close().catch(() => {});
    throw error;
  }
}

/** Brings the schema up to date and checks the secrets key against it. @throws {SecretsKeyError} */
async function prepareDatabase(db: Database, config: Config, log: Logger): Promise<Sealer> {
  const applied = await migrate(db);
  if (applied.length > 0) log.info({ applied }, 'database schema brought up to date');
  const keys = await readSecretsKeys(config, await hasSecretsChecks(db));
  return db.transaction((tx) => openSealer(tx, keys));
}

/** Opens the configured database as it is; its schema may be of any age. */
export async function openDatabase(
  config: Config,
  log: Logger,
  { onFatal, engine, strict = false }: Pick<BuildOptions, 'onFatal' | 'engine' | 'strict'> = {},
): Promise<Database> {
  if (config.databaseUrl !== undefined) {
    const sessionName = sealingSessionName(secretsKeyId(config.secretsKey!));
    return openPostgres({ url: config.databaseUrl, log, sessionName, guarded: strict });
  }
  if (engine) return connectEmbedded(engine, log);
  return openEmbeddedDatabase({ dir: embeddedDirectory(config.dataDir), log, ...(onFatal ? { onFatal } : {}) });
}

function liveRates(setting: RateSourcesSetting, outbound: Outbound, clock: Clock, log: Logger) {
  if (setting.kind === 'fixed') return createFixedRates(clock, setting.btcUsd);
  const get: HttpGet = (url, signal) => outbound.request({ url, signal, timeoutMillis: 5000 });
  const sources = setting.markets.map(({ name, url }) => openSource(name, url, get));
  return createRates({ sources, clock, log });
}
