import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { satlineHere } from './run-in-process.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'satline-export-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await database.drop();
});

test('export and backup end once their file is whole', async () => {
  const file = join(folder, 'one.jsonl.gz');
  for (const words of [
    ['export', file],
    ['backup', folder],
  ]) {
    const { code, json } = await satlineHere(database.env, ...words, '--json');
    expect([code, json().object]).toEqual([0, words[0]]);
  }
  expect((await readdir(folder)).filter((name) => name.endsWith('.jsonl.gz'))).toHaveLength(2);
});
