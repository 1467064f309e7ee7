import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { createSeal } from '../../src/kernel/secrets.ts';
import { sealedPlace } from '../../src/model/sealed-columns.ts';
import { satlineHere } from '../cli/run-in-process.ts';
import { spawnSatline } from '../cli/run-satline.ts';
import { openTestApp } from '../harness/app.ts';
import { createTestDatabase, onPostgres, secretsKey, type TestDatabase } from '../harness/database.ts';

// Where only one process at a time may look, every look is a start.
const rows = onPostgres ? 20_000 : 4000;
const kills = onPostgres ? 4 : 2;
const old = secretsKey;
const next = '33'.repeat(32);
const seals = { old: createSeal(Buffer.from(old, 'hex')), next: createSeal(Buffer.from(next, 'hex')) };
const credential = '01a20000-0000-7000-8000-000000000000';
const placeOf = (key: string) => sealedPlace('idempotency_keys.answer', credential, key);

let database: TestDatabase;
let both: NodeJS.ProcessEnv;
beforeAll(async () => {
  const made = await createTestDatabase();
  database = { ...made, drop: async () => {} };
  both = { ...database.env, SECRETS_KEY: next, SECRETS_KEY_PREVIOUS: old };
  const app = await openTestApp({ database, watch: false });
  await app.newMerchant();
  const keys = Array.from({ length: rows }, (_, index) => `key "${index}", or so`);
  await app.rows(
    `insert into idempotency_keys (credential_id, key, operation, input_hash, state, token, lease_until, answer, created_at)
     select $1, key, 'create_order', '', 'done', gen_random_uuid(), now(), decode(answer, 'hex'), now()
       from unnest($2::text[], $3::text[]) as made (key, answer)`,
    [credential, keys, keys.map((key) => seals.old.seal(`answer to ${key}`, placeOf(key)).toString('hex'))],
  );
  await app.close();
  return made.drop;
});

const rotate = (env: NodeJS.ProcessEnv, ...words: string[]) => satlineHere(env, 'secrets', 'rotate', ...words);

test('says what it would do, and changes nothing', async () => {
  const { code, stdout, stderr } = await rotate(both, '--dry-run');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`idempotency_keys.answer  ${seals.old.keyId}  ${rows}`);
  expect(stdout).toContain(`To be sealed anew under key ${seals.next.keyId}: `);
  expect(stdout).not.toMatch(/(11|33){8}/);
  // Not even begun: the old key alone still opens everything.
  const alone = await rotate(database.env, '--dry-run', '--json');
  expect(alone.json()).toMatchObject({
    object: 'secrets_rotation',
    dry_run: true,
    key_id: seals.old.keyId,
    to_seal: 0,
  });
});

test('tells in a sentence which key is missing, and what to do without a new one', async () => {
  const wrong = await rotate({ ...both, SECRETS_KEY_PREVIOUS: '44'.repeat(32) });
  expect([wrong.code, wrong.stdout]).toEqual([1, '']);
  expect(wrong.stderr).toContain('The secrets key is not the one this database was sealed with.');
  expect(wrong.stderr).toContain('name the old one in SECRETS_KEY_PREVIOUS');
  const same = await rotate(database.env);
  expect([same.code, same.stderr]).toEqual([0, '']);
  expect(same.stdout).toContain('0 values sealed anew. To change the key, put a new one in SECRETS_KEY');
  const bad = await rotate({ ...both, SECRETS_KEY_PREVIOUS: 'short' });
  expect(bad.stderr).toContain('SECRETS_KEY_PREVIOUS must be 32 bytes');
});

test(`killed ${kills} times it goes on where it was, and every value opens with the new key alone`, {
  timeout: 120_000,
}, async () => {
  const progress: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const child = spawnSatline(both, 'secrets', 'rotate');
    await momentIn(kill, child);
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    if (onPostgres) progress.push(await countUnder(seals.next.keyId));
  }
  expect([...progress].sort((a, b) => a - b)).toEqual(progress);
  expect(progress.every((count) => count > 0 && count < rows)).toBe(true);
  if (onPostgres) {
    const doctor = (await satlineHere(both, 'doctor', '--json')).json();
    const check = doctor.checks.find(({ name }: { name: string }) => name === 'secrets key');
    expect(check).toMatchObject({ status: 'ok', found: expect.stringContaining(`under ${seals.old.keyId}`) });
    expect(check.advice).toContain('satline secrets rotate');
  }
  const { code, stdout, stderr, json } = await rotate(both, '--json');
  expect([code, stderr]).toEqual([0, '']);
  expect(json()).toMatchObject({ object: 'secrets_rotation', dry_run: false, key_id: seals.next.keyId, damaged: [] });
  expect(stdout).not.toMatch(/(11|33){8}/);
  const advice = (await satlineHere(both, 'doctor')).stdout;
  expect(advice).toContain('SECRETS_KEY_PREVIOUS seals nothing any more and may be dropped');
  const refused = await rotate(database.env);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('not the one')]);

  const app = await openTestApp({ database, watch: false, env: { SECRETS_KEY: next } });
  const stored = await app.rows<{ key: string; answer: Buffer }>('select key, answer from idempotency_keys');
  expect(stored).toHaveLength(rows);
  for (const { key, answer } of stored) {
    expect(seals.next.open(answer, placeOf(key)).toString()).toBe(`answer to ${key}`);
  }
  await app.close();
});

/** Some of the rows are sealed anew, more than the last time; where nobody else may look, some time has passed. */
async function momentIn(kill: number, child: { exitCode: number | null }): Promise<void> {
  if (!onPostgres) return void (await sleep(1500 + kill * 1500));
  const before = await countUnder(seals.next.keyId);
  while (child.exitCode === null && (await countUnder(seals.next.keyId)) <= before) await sleep(5);
}

async function countUnder(keyId: string): Promise<number> {
  const text = `select count(*)::integer as count from idempotency_keys where substring(answer from 2 for 4) = decode('${keyId}', 'hex')`;
  const client = new pg.Client({ connectionString: database.env.DATABASE_URL });
  await client.connect();
  try {
    return (await client.query(text)).rows[0].count;
  } finally {
    await client.end();
  }
}
