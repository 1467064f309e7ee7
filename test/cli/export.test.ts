import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
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

test('a file or folder that cannot be used is named, with what to do', async () => {
  const file = join(folder, 'note.txt');
  await writeFile(file, 'milk');
  const before = await readdir(folder);
  for (const [words, sentence] of [
    [['export', folder], `${folder} is a folder. Name a file.`],
    [
      ['export', join(folder, 'none', 'one.gz')],
      `There is no ${join(folder, 'none')}. Look for a mistake in its name.`,
    ],
    [['backup', join(folder, 'none')], `There is no ${join(folder, 'none')}. Look for a mistake in its name.`],
    [['backup', file], `${file} is no folder. Name one.`],
    [['import', join(folder, 'none')], `There is no ${join(folder, 'none')}. Look for a mistake in its name.`],
    [['import', folder], `${folder} is a folder. Name a file.`],
  ] as const) {
    const { code, stderr } = await satlineHere(database.env, ...words);
    expect([code, stderr]).toEqual([1, `${sentence}\n`]);
  }
  expect(await readdir(folder)).toEqual(before);
});
