import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { satline, spawnSatline } from './run-satline.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('starts the service and stops it on SIGTERM', { timeout: 180_000 }, async () => {
  const child = spawnSatline({ ...database.env, PORT: '0' }, 'start');
  const exit = once(child, 'exit');
  let printed = '';
  for await (const chunk of child.stdout!) {
    printed += chunk;
    const address = /ready at (http:\S+)/.exec(printed)?.[1];
    if (!address) continue;
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    expect(await statusesOf(address)).toEqual([200, 200, 200, 200, 401]);
    child.kill('SIGTERM');
    break;
  }
  expect(await exit).toEqual([0, null]);
});

describe('a start that fails says what to do, without a stack', { timeout: 60_000 }, () => {
  const key = '22'.repeat(32);

  test.each([
    ['postgres://me:hush@127.0.0.1:9/shop', 'No PostgreSQL answers at 127.0.0.1. See that it runs and that '],
    ['postgres://me:hush@nowhere.invalid/shop', 'The host nowhere.invalid in DATABASE_URL has no address. Correct it.'],
    ['127.0.0.1:5432/shop', 'DATABASE_URL must be an address such as postgres://user:password@host/satline'],
  ])('at %s', async (DATABASE_URL, sentence) => {
    const { code, stderr } = await satline({ DATABASE_URL, SECRETS_KEY: key, PORT: '0' }, 'start');
    expect(code).toBe(1);
    expect(stderr).toContain(`Satline did not start.\n${sentence}`);
    expect(stderr.trim().split('\n').length).toBe(2);
    expect(stderr).not.toContain('hush');
  });

  test('at a port that is taken, or an address of another machine', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const taken = await satline({ ...database.env, PORT: String(port) }, 'start');
    other.close();
    expect(taken.stderr).toBe(
      `Satline did not start.\nSomething listens on port ${port} of 127.0.0.1 already. ` +
        'Stop it, or set PORT to a free one (0 takes any).\n',
    );
    expect(taken.code).toBe(1);
    // The last is one of some link, without saying which.
    for (const HOST of ['192.0.2.1', 'fe80::1']) {
      const elsewhere = await satline({ ...database.env, PORT: '0', HOST }, 'start');
      expect(elsewhere.stderr).toContain(`HOST is ${HOST}, which is no address of this machine. Set it to one, or `);
      expect(elsewhere.code).toBe(1);
    }
  });

  test('at a DATA_DIR that is a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'satline-'));
    const DATA_DIR = join(folder, 'data');
    await writeFile(DATA_DIR, '');
    const { code, stderr } = await satline({ DATA_DIR, PORT: '0' }, 'start');
    await rm(folder, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Satline did not start\.\nA file is in the way of .*\. Set DATA_DIR to a directory\.\n$/);
  });

  test.each(['db/lock', 'secrets.key', 'demo-credentials.json'])('at a directory in the place of %s', async (file) => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'satline-'));
    await mkdir(join(DATA_DIR, file), { recursive: true });
    const { code, stderr } = await satline({ DATA_DIR, PORT: '0' }, 'start');
    await rm(DATA_DIR, { recursive: true });
    expect([code, stderr]).toEqual([
      1,
      `Satline did not start.\n${join(DATA_DIR, file)} must be a file and is a directory. ` +
        'Move it away, and put the file back if there was one.\n',
    ]);
  });

  test('at credentials of the demo that are half there', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'satline-'));
    await writeFile(join(DATA_DIR, 'demo-credentials.json'), '{"base_url": ');
    const start = await satline({ DATA_DIR, PORT: '0' }, 'start');
    const tail = await satline({ DATA_DIR }, 'events', 'tail');
    await rm(DATA_DIR, { recursive: true });
    const sentence = /^.*demo-credentials\.json is no JSON\. Put back the one that was there, or .* needs it\.\n$/;
    expect([start.code, tail.code]).toEqual([1, 1]);
    expect(start.stderr.replace('Satline did not start.\n', '')).toMatch(sentence);
    expect(tail.stderr).toMatch(sentence);
  });

  test('at a DATA_DIR that nobody can make', async () => {
    // As any place that the system makes up by itself; a disk that is read-only takes root to try.
    const { code, stderr } = await satline({ DATA_DIR: '/proc/nope', PORT: '0' }, 'start');
    expect([code, stderr]).toEqual([
      1,
      'Satline did not start.\nNo directory can be made at /proc/nope. Set DATA_DIR to a place where one can.\n',
    ]);
  });

  test('on a disk that is read-only or full', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'satline-'));
    const sentences: Record<string, string> = {
      'ro,size=60m': `${folder}/db cannot be written, its disk is read-only. Set DATA_DIR to a place that can.`,
      'size=1m': 'The disk that holds DATA_DIR is full. Make room on it.',
    };
    try {
      for (const [options, sentence] of Object.entries(sentences)) {
        if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status !== 0) {
          console.log('SKIPPED: only root can mount the small file systems of this test');
          return context.skip();
        }
        const { code, stderr } = await satline({ DATA_DIR: folder, PORT: '0' }, 'start');
        spawnSync('umount', [folder]);
        expect([code, stderr]).toEqual([1, `Satline did not start.\n${sentence}\n`]);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** What reads files beside its own module, or starts a thread from one: a bundle could have lost it. */
async function statusesOf(address: string): Promise<number[]> {
  const pages = ['/docs', '/sign-in', '/js/pay.js', '/.well-known/oauth-authorization-server'];
  const somebody = { email: 'nobody@example.com', password: 'a password of nobody' };
  const answers = await Promise.all([
    ...pages.map((page) => fetch(address + page)),
    fetch(`${address}/api/v1/m/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(somebody),
    }),
  ]);
  return answers.map(({ status }) => status);
}
