import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secretsKeyId } from '../../src/kernel/secrets.ts';
import { satlineHere } from '../cli/run-in-process.ts';
import { satline } from '../cli/run-satline.ts';
import { createTestDatabase, onPostgres, secretsKey, type TestDatabase } from '../harness/database.ts';

const old = secretsKey;
const next = '33'.repeat(32);
const idOf = (key: string) => secretsKeyId(Buffer.from(key, 'hex'));
const rotate = (env: NodeJS.ProcessEnv, ...words: string[]) => satlineHere(env, 'secrets', 'rotate', ...words);

if (onPostgres) console.log('SKIPPED: secrets.key belongs to the embedded database; it is tested there');

describe.skipIf(onPostgres)('with DATA_DIR/secrets.key', () => {
  let embedded: TestDatabase;
  let env: NodeJS.ProcessEnv;
  let file: string;
  beforeAll(async () => {
    embedded = await createTestDatabase();
    file = join(embedded.env.DATA_DIR!, 'secrets.key');
    env = { DATA_DIR: embedded.env.DATA_DIR! };
    writeFileSync(file, `${old}\n`, { mode: 0o600 });
  });
  afterAll(() => embedded.drop());

  const keysInFile = () => readFileSync(file, 'utf8').trim().split('\n');

  test('the command makes the new key, keeps both until it is done, and goes on with a half-done one', async () => {
    const dry = await rotate(env, '--dry-run');
    expect([dry.code, dry.stderr]).toEqual([0, '']);
    expect(dry.stdout).toContain('under a new key, which the command makes');
    expect(keysInFile()).toEqual([old]);

    const first = await rotate(env, '--json');
    expect([first.code, first.stderr]).toEqual([0, '']);
    const [key, ...others] = keysInFile();
    expect(others).toEqual([]);
    expect(key).not.toBe(old);
    expect(first.json().key_id).toBe(idOf(key!));

    // As a kill leaves it between the new file and the first sealed row.
    writeFileSync(file, `${next}\n${key}\n`, { mode: 0o600 });
    const second = await satline(env, 'secrets', 'rotate', '--json');
    expect(second.json().key_id).toBe(idOf(next));
    expect(keysInFile()).toEqual([next]);
    const { checks } = (await satlineHere(env, 'doctor', '--json')).json();
    expect(checks.find(({ name }: { name: string }) => name === 'secrets key')).toMatchObject({
      status: 'ok',
      advice: null,
    });
  });

  test('a directory in its place is told by every command that needs it', async () => {
    rmSync(file);
    mkdirSync(file);
    const sentence = `${file} must be a file and is a directory. `;
    expect(await rotate(env)).toMatchObject({ code: 1, stderr: expect.stringMatching(`^${sentence}Move it away`) });
    const { checks } = (await satlineHere(env, 'doctor', '--json')).json();
    const check = checks.find(({ name }: { name: string }) => name === 'secrets key');
    expect(check).toMatchObject({ status: 'trouble', found: sentence.trim() });
  });

  test('there is nothing to change where there is no database', async () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'satline-nothing-'));
    const { code, stderr } = await rotate({ DATA_DIR });
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no database')]);
    rmSync(DATA_DIR, { recursive: true });
  });
});
