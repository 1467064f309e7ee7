import { resolve } from 'node:path';
import { toIpRange } from './auth/ip-ranges.ts';
import { isLoopback } from './kernel/loopback.ts';
import { defaultRateSources, parseRateSources, type RateSourcesSetting } from './rates/sources-setting.ts';

/** One environment variable: how it is read, and what the documentation says of it. */
interface Entry<T> {
  readonly fallback: string;
  readonly description: string;
  /** @throws {Error} with a sentence that says what is wrong with the value. */
  readonly read: (text: string) => T;
}

const entry = <T>(fallback: string, description: string, read: (text: string) => T): Entry<T> => ({
  fallback,
  description,
  read,
});

const text = (value: string) => value;
const optionalText = (value: string) => (value === '' ? undefined : value);

function port(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw new Error('must be a port from 0 to 65535');
  return Number(value);
}

function flag(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new Error('must be true or false');
  return value === 'true';
}

function origin(value: string): string | undefined {
  if (value === '') return undefined;
  if (!URL.canParse(value)) throw new Error('must be an absolute http(s) address, such as https://pay.example.com');
  const url = new URL(value);
  // The pages lie at the root and send browsers there.
  if (!['http:', 'https:'].includes(url.protocol) || url.href !== `${url.origin}/`) {
    throw new Error('must be an http(s) address without credentials, path, query or fragment');
  }
  return url.origin;
}

function databaseUrl(value: string): string | undefined {
  if (value === '') return undefined;
  // A path is a folder of unix sockets, as in the settings of PostgreSQL's own programs.
  if (!/^(?:postgres(?:ql)?:|socket:|\/)/i.test(value)) {
    throw new Error('must be an address such as postgres://user:password@host/satline');
  }
  return value;
}

function smtpUrl(value: string): string | undefined {
  if (value === '') return undefined;
  if (!URL.canParse(value) || !['smtp:', 'smtps:'].includes(new URL(value).protocol)) {
    throw new Error('must be an address such as smtp://user:password@mail.example.com:587');
  }
  // A % of a password's own would only be noticed when the first mail is sent.
  if (/%(?![0-9a-f]{2})/i.test(value)) throw new Error('must have each % of its user name and password written as %25');
  return value;
}

function logLevel(value: string): string {
  const levels = ['debug', 'info', 'warn', 'error', 'silent'];
  if (!levels.includes(value)) throw new Error(`must be one of ${levels.join(', ')}`);
  return value;
}

function secretsKey(value: string): Buffer | undefined {
  if (value === '') return undefined;
  const bytes = /^[0-9a-f]{64}$/i.test(value) ? Buffer.from(value, 'hex') : Buffer.from(value, 'base64');
  if (bytes.length !== 32) throw new Error('must be 32 bytes as 64 hex digits or in base64');
  return bytes;
}

function secretsKeys(value: string): readonly Buffer[] {
  if (value === '') return [];
  return value.split(',').map((part) => {
    const key = secretsKey(part.trim());
    if (key === undefined) throw new Error('must list keys without gaps');
    return key;
  });
}

function proxies(value: string): boolean | string[] {
  if (value === '' || value === 'none') return false;
  return value.split(',').map((part) => {
    const range = part.trim();
    // Nor everybody: then each caller could choose the address to be counted by.
    if (!toIpRange(range) || /\/0+$/.test(range)) {
      throw new Error('must be none, or list the addresses or ranges of proxies, such as 10.0.0.0/8,127.0.0.1');
    }
    return range;
  });
}

function originList(value: string): readonly string[] {
  if (value === '') return [];
  return value.split(',').map((part) => {
    const text = part.trim().toLowerCase();
    if (text === '*') return text;
    if (!URL.canParse(text) || new URL(text).origin !== text) {
      throw new Error('must list origins, such as https://app.example.com, or be *');
    }
    return text;
  });
}

function hostList(value: string): readonly string[] {
  if (value === '') return [];
  return value.split(',').map((part) => {
    const host = part.trim().toLowerCase();
    if (!/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\]):\d{1,5}$/.test(host)) throw new Error('must list hosts with their ports');
    return host;
  });
}

/** Every variable Satline reads, in the order of the documentation (docs/generated/configuration.md). */
export const entries = {
  HOST: entry('127.0.0.1', 'Address to listen on', text),
  PORT: entry('3000', 'Port to listen on; 0 takes a free one', port),
  DATA_DIR: entry('./data', 'Where the embedded database, its secrets key and demo credentials live', (value) =>
    resolve(value),
  ),
  DATABASE_URL: entry(
    '',
    'PostgreSQL 15 or newer, such as `postgres://user:password@host/satline`. Empty: the embedded database in `DATA_DIR`',
    databaseUrl,
  ),
  PUBLIC_URL: entry('', 'How the outside world reaches Satline, without a path. Empty: `http://HOST:PORT`', origin),
  PAY_URL: entry('', 'Where payment links live. Empty: `PUBLIC_URL`', origin),
  SECRETS_KEY: entry(
    '',
    '32 bytes (hex or base64) that seal everything secret at rest. Required with `DATABASE_URL`; otherwise `DATA_DIR/secrets.key` is made',
    secretsKey,
  ),
  SECRETS_KEY_PREVIOUS: entry(
    '',
    'Secrets keys that only open what was sealed under them, comma separated: the earlier one, until `satline secrets rotate` is done',
    secretsKeys,
  ),
  TRUST_PROXY: entry('none', 'Proxies whose forwarded headers count: addresses or ranges, comma separated', proxies),
  ALLOW_PRIVATE_NETWORKS: entry(
    'false',
    'Lets outbound calls reach private addresses; counts only while `HOST` and `PUBLIC_URL` are on loopback. The demo has it on',
    flag,
  ),
  WALLET_HOSTS: entry(
    '',
    'Hosts on private networks where wallets may live, comma separated as `host:port`, such as `127.0.0.1:9740,lnd.lan:8080`',
    hostList,
  ),
  MCP_ALLOWED_ORIGINS: entry(
    '',
    'Origins whose web pages may use the MCP endpoint with a secret key, comma separated, or `*`. Empty: those of `PUBLIC_URL` and `PAY_URL`, and on loopback any page of this machine. Assistants send none and need no entry',
    originList,
  ),
  RATE_SOURCES: entry(
    defaultRateSources,
    'Who live exchange rates come from, comma separated, each optionally `name=url`; or `fixed:65000` for development',
    parseRateSources,
  ),
  SMTP_URL: entry(
    '',
    'Mail server, such as `smtp://user:password@mail.example.com:587` or `smtps://…`. Empty: nobody is written to',
    smtpUrl,
  ),
  MAIL_FROM: entry(
    '',
    'Sender of mails, such as `Corner Shop <shop@example.com>`. Required with `SMTP_URL`',
    optionalText,
  ),
  LOG_LEVEL: entry('info', '`debug`, `info`, `warn`, `error` or `silent`', logLevel),
  METRICS_TOKEN: entry(
    '',
    'Bearer token for `/metrics`. Empty: only a service whose `PUBLIC_URL` is on loopback shows them, to this machine',
    optionalText,
  ),
  SATLINE_URL: entry(
    '',
    'Of commands that speak to a running service (`satline events tail`): its address. Empty: that of the demo in `DATA_DIR`',
    origin,
  ),
  SATLINE_KEY: entry(
    '',
    'Of the same commands: a secret API key. Empty: the test key of the demo in `DATA_DIR`',
    optionalText,
  ),
  NODE_ENV: entry('', '`production` keeps the demo from being made by itself', text),
} as const;

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly publicUrl: string;
  readonly payUrl: string;
  readonly secretsKey: Buffer | undefined;
  readonly previousSecretsKeys: readonly Buffer[];
  readonly trustProxy: boolean | string[];
  readonly allowPrivateNetworks: boolean;
  readonly walletHosts: readonly string[];
  readonly mcpAllowedOrigins: readonly string[];
  readonly rateSources: RateSourcesSetting;
  readonly smtpUrl: string | undefined;
  /** There when `smtpUrl` is. */
  readonly mailFrom: string | undefined;
  readonly logLevel: string;
  readonly metricsToken: string | undefined;
  readonly production: boolean;
  /** HOST and PUBLIC_URL are both on loopback: nobody else can reach this process. */
  readonly onLoopback: boolean;
}

/** The environment is not usable; the message has one line per fault. */
export class ConfigError extends Error {}

/** Reads and checks the environment. The only code that looks at it. @throws {ConfigError} naming every bad variable. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const { read, faults, endWithFaults } = readerOf(env);
  const host = read('HOST');
  const port = read('PORT');
  const publicUrl = read('PUBLIC_URL') ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const config: Config = {
    host,
    port,
    dataDir: read('DATA_DIR'),
    databaseUrl: read('DATABASE_URL'),
    publicUrl,
    payUrl: read('PAY_URL') ?? publicUrl,
    secretsKey: read('SECRETS_KEY'),
    previousSecretsKeys: read('SECRETS_KEY_PREVIOUS'),
    trustProxy: read('TRUST_PROXY'),
    allowPrivateNetworks: read('ALLOW_PRIVATE_NETWORKS'),
    walletHosts: read('WALLET_HOSTS'),
    mcpAllowedOrigins: read('MCP_ALLOWED_ORIGINS'),
    rateSources: read('RATE_SOURCES'),
    smtpUrl: read('SMTP_URL'),
    mailFrom: read('MAIL_FROM'),
    logLevel: read('LOG_LEVEL'),
    metricsToken: read('METRICS_TOKEN'),
    production: read('NODE_ENV') === 'production',
    onLoopback: isLoopback(host) && (!URL.canParse(publicUrl) || isLoopback(new URL(publicUrl).hostname)),
  };
  if (config.secretsKey === undefined && !faults.has('SECRETS_KEY')) {
    if (config.databaseUrl !== undefined) {
      faults.set('SECRETS_KEY', 'is required with DATABASE_URL; make one with: openssl rand -hex 32');
    }
    if (config.previousSecretsKeys?.length > 0) {
      faults.set('SECRETS_KEY_PREVIOUS', 'needs SECRETS_KEY beside it, the key that seals from now on');
    }
  }
  if (config.smtpUrl !== undefined && !config.mailFrom?.includes('@')) {
    faults.set('MAIL_FROM', 'is required with SMTP_URL, such as shop@example.com');
  }
  endWithFaults();
  return Object.freeze(config);
}

/** What a command needs that speaks to a running service. */
export interface ClientConfig {
  readonly dataDir: string;
  readonly url: string | undefined;
  readonly key: string | undefined;
}

/** The same for such commands; nothing of the service has to be set. @throws {ConfigError} */
export function readClientConfig(env: NodeJS.ProcessEnv): ClientConfig {
  const { read, endWithFaults } = readerOf(env);
  const config: ClientConfig = { dataDir: read('DATA_DIR'), url: read('SATLINE_URL'), key: read('SATLINE_KEY') };
  endWithFaults();
  return config;
}

type Name = keyof typeof entries;

/** `read` notes what is wrong with a variable and goes on with undefined; `endWithFaults` throws it all at once. */
function readerOf(env: NodeJS.ProcessEnv) {
  const faults = new Map<Name, string>();
  return {
    faults,
    read<N extends Name>(name: N): ReturnType<(typeof entries)[N]['read']> {
      const { fallback, read } = entries[name] as Entry<ReturnType<(typeof entries)[N]['read']>>;
      try {
        return read(env[name]?.trim() || fallback);
      } catch (error) {
        faults.set(name, (error as Error).message);
        return undefined as never;
      }
    },
    endWithFaults() {
      if (faults.size === 0) return;
      throw new ConfigError([...faults].map(([name, fault]) => `${name} ${fault}`).join('\n'));
    },
  };
}
