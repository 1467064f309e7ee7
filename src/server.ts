import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { banner } from './banner.ts';
import { beginParts } from './build-parts.ts';
import type { Config } from './config.ts';
import type { EmbeddedEngine } from './db/embedded/open.ts';
import {
  completeDemo,
  type DemoCredentials,
  makeDemo,
  mayReachPrivateNetworks,
  newDemoPassword,
  readDemo,
  wantsDemo,
  writeDemo,
} from './demo.ts';
import type { Parts } from './flows/parts.ts';
import { billSubscriptions } from './jobs/bill-subscriptions.ts';
import { deliverWebhooks } from './jobs/deliver-webhooks.ts';
import { expireCheckouts } from './jobs/expire-checkouts.ts';
import { flushUsage } from './jobs/flush-usage.ts';
import { followWallets } from './jobs/follow-wallets.ts';
import type { Job } from './jobs/job.ts';
import { probeWallets } from './jobs/probe-wallets.ts';
import { sendMails } from './jobs/send-mails.ts';
import { shareRateCounts } from './jobs/share-rate-counts.ts';
import { sweep } from './jobs/sweep.ts';
import { watchInvoices } from './jobs/watch-invoices.ts';
import { closeLog, type Logger } from './kernel/log.ts';
import { hasMerchants } from './store/merchants.ts';

/** After this a stop is forced, with time left to be gone within 10 s; the data is safe either way. */
const stopMillis = 8500;

export interface RunningServer {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

interface ServerOptions {
  /** Make the demo even where it would not be made by itself; never into a database that has merchants. */
  demo?: boolean;
  /** Closed when the server ends. */
  log: Logger;
  /** The engine of the embedded database, as good as open; closed with everything else. */
  engine?: Promise<EmbeddedEngine>;
  onFatal?: (error: Error) => void;
}

/** Opens everything, listens, starts the loops. Resolves when the server is ready. */
export async function startServer(config: Config, options: ServerOptions): Promise<RunningServer> {
  try {
    return await start(config, options);
  } catch (error) {
    await closeEngine(options).catch(() => {});
    await closeLog(options.log);
    throw error;
  }
}

async function closeEngine({ engine }: ServerOptions): Promise<void> {
  await (await engine)?.close();
}

async function start(config: Config, options: ServerOptions): Promise<RunningServer> {
  const { log } = options;
  const earlierDemo = await readDemo(config.dataDir);
  const mayMakeDemo = options.demo === true || wantsDemo(config);
  // Begun while the database opens, so that it is there when the demo is made.
  const demoPassword = mayMakeDemo && !earlierDemo ? newDemoPassword() : undefined;
  demoPassword?.catch(() => {});
  const allowPrivateNetworks = await mayReachPrivateNetworks(config, options.demo);
  // The surfaces are most of the code; they are read and put together while the database opens, which has a thread of its own.
  const surfaces = import('./app.ts');
  const built = await beginParts(config, { ...options, allowPrivateNetworks });
  const { parts, links } = built;
  try {
    const { trustProxy, metricsToken, mcpAllowedOrigins } = config;
    const { buildApp } = await surfaces;
    const app = await buildApp(parts, { trustProxy, metricsToken, mcpAllowedOrigins });
    await built.ready;
    // Before listening: whoever sees /healthz answer finds the credentials in place.
    const demo = await openDemo(parts, config, earlierDemo, mayMakeDemo, demoPassword);
    await listen(app, config, links);
    const reachable = demo && (await moveDemo(config.dataDir, demo, links.publicUrl));
    parts.rates.live.start();
    process.stdout.write(banner(links.publicUrl, parts.db.engine, reachable));
    const jobs = startJobs(parts);
    const stop = async () => {
      log.info('stopping');
      await app.close();
      await Promise.all(jobs.map((job) => job.stop()));
      await built.close();
      await closeEngine(options);
      log.info('stopped');
    };
    return { baseUrl: links.publicUrl, stop: () => within(stopMillis, stop()).finally(() => closeLog(log)) };
  } catch (error) {
    await built.close().catch(() => {});
    throw error;
  }
}

/** Where the port is left to the system, the addresses that are told to others get the one it gave. */
async function listen(app: FastifyInstance, { host, port }: Config, links: { payUrl: string; publicUrl: string }) {
  await app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    throw new ListenError(listenTrouble(error, host, port), { cause: error });
  });
  if (port !== 0) return;
  const given = (app.server.address() as AddressInfo).port;
  links.payUrl = withPort(links.payUrl, given);
  links.publicUrl = withPort(links.publicUrl, given);
}

/** The message says what to do. */
class ListenError extends Error {
  override readonly name = 'ListenError';
}

// Without a zone an address of one link is EINVAL; IPv6 where there is none is EAFNOSUPPORT.
const addressCodes = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND']);

function listenTrouble({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') {
    return `Something listens on port ${port} of ${host} already. Stop it, or set PORT to a free one (0 takes any).`;
  }
  if (code === 'EACCES') return `This user may not listen on port ${port}. Set PORT to one above 1023.`;
  if (addressCodes.has(code ?? '')) {
    return `HOST is ${host}, which is no address of this machine. Set it to one, or to 0.0.0.0 or :: for all.`;
  }
  return message;
}

function startJobs(parts: Parts): Job[] {
  return [
    watchInvoices(parts),
    followWallets(parts),
    probeWallets(parts),
    deliverWebhooks(parts),
    flushUsage(parts),
    sweep(parts),
    expireCheckouts(parts),
    shareRateCounts(parts),
    billSubscriptions(parts),
    sendMails(parts),
  ];
}

async function openDemo(
  parts: Parts,
  config: Config,
  earlier: DemoCredentials | undefined,
  mayMake: boolean,
  password: ReturnType<typeof newDemoPassword> | undefined,
): Promise<DemoCredentials | undefined> {
  if (earlier && (await hasMerchants(parts.db))) return completeDemo(parts, config.dataDir, earlier);
  return mayMake ? makeDemo(parts, config.dataDir, parts.links.publicUrl, password) : undefined;
}

/** The demo's file names the address that it is served at now. */
async function moveDemo(dataDir: string, demo: DemoCredentials, baseUrl: string): Promise<DemoCredentials> {
  if (demo.base_url === baseUrl) return demo;
  const moved = { ...demo, base_url: baseUrl };
  await writeDemo(dataDir, moved);
  return moved;
}

function withPort(address: string, port: number): string {
  const url = new URL(address);
  if (url.port === '0') url.port = String(port);
  return url.href.replace(/\/+$/, '');
}

async function within(millis: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, millis);
  });
  await Promise.race([work, timeUp]);
  clearTimeout(timer);
}
