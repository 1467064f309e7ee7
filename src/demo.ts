import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issueApiKey } from './auth/api-key.ts';
import { hashPassword } from './auth/password.ts';
import type { Config } from './config.ts';
import { statement } from './db/database.ts';
import { addMerchant } from './flows/new-merchant.ts';
import type { Parts } from './flows/parts.ts';
import { newId, randomBase62 } from './kernel/ids.ts';
import { makeDirectory } from './kernel/make-directory.ts';
import { readIfThere } from './kernel/read-if-there.ts';
import { replaceFile } from './kernel/replace-file.ts';
import { importDirectory } from './resources/directory/import-directory.ts';
import { findMerchant, hasMerchants } from './store/merchants.ts';
import { findUserByEmail, insertUser, putMembership, setUserPassword } from './store/users.ts';

// Any fixed number will do. Processes that start together on one PostgreSQL must not make a demo each.
const lockNumber = 7_283_113;
const lock = statement('demo_lock', 'select pg_advisory_xact_lock($1)');

/** What `DATA_DIR/demo-credentials.json` holds. Keys are test keys unless named live. */
export interface DemoCredentials {
  base_url: string;
  merchant_id: string;
  secret_key: string;
  publishable_key: string;
  live_secret_key: string;
  live_publishable_key: string;
  /** Of `secret_key`. */
  api_token_id: string;
  /** Of the shop's owner. */
  email: string;
  password: string;
  /** One that may make 60 requests a minute. */
  limited_secret_key: string;
}

/** The demo of an earlier start, undefined when there is none. */
export async function readDemo(dataDir: string): Promise<DemoCredentials | undefined> {
  const path = demoFile(dataDir);
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as DemoCredentials;
  } catch (cause) {
    const advice = 'Put back the one that was there, or move it away: nothing but the demo needs it.';
    throw new Error(`${path} is no JSON. ${advice}`, { cause });
  }
}

/** Whether a start makes the demo by itself: on a machine of one's own, on the embedded database. */
export function wantsDemo(config: Pick<Config, 'onLoopback' | 'production' | 'databaseUrl'>): boolean {
  return config.onLoopback && !config.production && config.databaseUrl === undefined;
}

/**
 * Whether outbound calls may reach this machine and its network: only while nobody else can reach Satline, and then when
 * it is asked for or the demo is.
 */
export async function mayReachPrivateNetworks(config: Config, demoAsked = false): Promise<boolean> {
  if (!config.onLoopback) return false;
  if (config.allowPrivateNetworks || demoAsked || wantsDemo(config)) return true;
  return (await readDemo(config.dataDir)) !== undefined;
}

interface DemoPassword {
  password: string;
  passwordHash: string;
}

/** What the demo's owner signs in with. Hashing takes its time on purpose: never inside a transaction. */
export async function newDemoPassword(): Promise<DemoPassword> {
  const password = randomBase62(20);
  return { password, passwordHash: await hashPassword(password) };
}

/**
 * Makes a demo merchant with keys, unless the database has merchants. The file is written before the commit: a crash in
 * between leaves an empty database, and the next start begins anew. @returns undefined when nothing was made.
 */
export async function makeDemo(
  parts: Parts,
  dataDir: string,
  baseUrl: string,
  newPassword = newDemoPassword(),
): Promise<DemoCredentials | undefined> {
  const { password, passwordHash } = await newPassword;
  return parts.db.transaction(async (tx) => {
    await tx.run(lock, [lockNumber]);
    if (await hasMerchants(tx)) return undefined;
    const now = parts.clock.now();
    const request = { name: 'Demo Shop', email: 'demo@example.com', currency: 'usd', timeZone: 'UTC' };
    const { merchantId } = await addMerchant(tx, request, now);
    const issue = (kind: 'secret' | 'publishable', livemode: boolean) =>
      issueApiKey(tx, { merchantId, livemode }, { kind, name: `Demo ${livemode ? 'live' : 'test'} ${kind} key` }, now);
    await importDirectory(tx, await readDirectorySample(), false, now);
    const secret = await issue('secret', false);
    const publishable = await issue('publishable', false);
    const liveSecret = await issue('secret', true);
    const livePublishable = await issue('publishable', true);
    const limitedTerms = { kind: 'secret' as const, name: 'Demo limited test key', rpmLimit: 60 };
    const limited = await issueApiKey(tx, { merchantId, livemode: false }, limitedTerms, now);
    const owner = { id: newId(), email: request.email, name: 'Demo Owner', passwordHash, now };
    await insertUser(tx, owner);
    await putMembership(tx, owner.id, merchantId, 'owner', now);
    const credentials: DemoCredentials = {
      base_url: baseUrl,
      merchant_id: merchantId,
      secret_key: secret.key.reveal(),
      publishable_key: publishable.key.reveal(),
      live_secret_key: liveSecret.key.reveal(),
      live_publishable_key: livePublishable.key.reveal(),
      api_token_id: secret.id,
      email: request.email,
      password,
      limited_secret_key: limited.key.reveal(),
    };
    await writeDemo(dataDir, credentials);
    return credentials;
  });
}

/** Adds what a demo of an earlier version lacks: somebody who signs in, and a key with a limit of its own. */
export async function completeDemo(parts: Parts, dataDir: string, earlier: DemoCredentials): Promise<DemoCredentials> {
  if (earlier.email && earlier.password && earlier.limited_secret_key) return earlier;
  const { password, passwordHash } = await newDemoPassword();
  return parts.db.transaction(async (tx) => {
    await tx.run(lock, [lockNumber]);
    // Another process may have been here before.
    const current = (await readDemo(dataDir)) ?? earlier;
    const merchant = await findMerchant(tx, earlier.merchant_id);
    if ((current.email && current.password && current.limited_secret_key) || !merchant) return current;
    const now = parts.clock.now();
    const email = merchant.email ?? 'demo@example.com';
    const known = await findUserByEmail(tx, email);
    const id = known?.id ?? newId();
    if (known) await setUserPassword(tx, id, passwordHash, now);
    else await insertUser(tx, { id, email, name: 'Demo Owner', passwordHash, now });
    await putMembership(tx, id, merchant.id, 'owner', now);
    const scope = { merchantId: merchant.id, livemode: false };
    const terms = { kind: 'secret' as const, name: 'Demo limited test key', rpmLimit: 60 };
    const limited = await issueApiKey(tx, scope, terms, now);
    const completed = { ...current, email, password, limited_secret_key: limited.key.reveal() };
    await writeDemo(dataDir, completed);
    return completed;
  });
}

/** A few real exchanges, each with its source and the day it was looked up. */
async function readDirectorySample(): Promise<unknown> {
  return JSON.parse(await readFile(new URL('./resources/directory/sample.json', import.meta.url), 'utf8'));
}

/** Writes the file whole or not at all, readable by its owner only. */
export async function writeDemo(dataDir: string, credentials: DemoCredentials): Promise<void> {
  // Beside PostgreSQL nothing else has made the folder.
  makeDirectory(dataDir);
  await replaceFile(demoFile(dataDir), `${JSON.stringify(credentials, null, 2)}\n`);
}

function demoFile(dataDir: string): string {
  return join(dataDir, 'demo-credentials.json');
}
