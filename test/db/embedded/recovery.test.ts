import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { codeOf, ended, firstLine, openRig, startChild, temporaryDirectory, untilBack } from './engine-rig.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);

/** The engine can't do this and leaves: the simplest crash that SQL can cause. */
const crash = 'copy item from stdin';

describe('a crash of the engine', () => {
  test('fails what was running, refuses for a moment, and comes back with everything committed', async () => {
    const rig = await openRig(join(root, 'crash'));
    await rig.pool.query('create table item (id integer primary key)');
    await rig.pool.query('insert into item values (1)');
    await rig.pool.query(
      'create function deep(i integer) returns integer language plpgsql as $$ begin return deep(i + 1); end $$',
    );
    const client = await rig.pool.connect();
    await client.query('begin');
    await client.query('insert into item values (2)');
    const failure = await client.query('select deep(1)').catch((error: Error) => error);
    expect(failure).toMatchObject({
      code: 'ECONNRESET',
      message: expect.stringContaining('embedded database crashed: '),
    });
    client.release(true);
    expect(new Set(await untilBack(rig.pool))).toEqual(new Set(['ECONNREFUSED']));
    expect((await rig.pool.query('select id from item')).rows).toEqual([{ id: 1 }]);
    await rig.close();
  });

  test('is fatal the third time within a minute', async () => {
    const errors: Error[] = [];
    const rig = await openRig(join(root, 'crash'), { onFatal: (error) => errors.push(error) });
    for (let time = 1; time <= 3; time += 1) {
      expect(errors).toEqual([]);
      await untilBack(rig.pool);
      await rig.pool.query(crash).catch(() => {});
      // The thread's end takes a moment to be noticed.
      while ((await codeOf(rig.pool.query('select 1')).catch(() => 'alive')) !== 'ECONNREFUSED') await sleep(10);
    }
    expect(errors).toHaveLength(1);
    expect(errors[0]!.message).toMatch(/failed 3 times within a minute/);
    await expect(rig.engine.restart('too late')).rejects.toThrow('closed');
    await rig.close();
    await (await openRig(join(root, 'crash'))).close();
  });
});

describe('the watchdog', () => {
  test('ends a statement that runs too long, unless a longer deadline was asked for', async () => {
    const rig = await openRig(join(root, 'watchdog'), { statementDeadlineMillis: 1000 });
    const slow = `select count(*) from generate_series(1, 1e18::bigint)`;
    const failure = await rig.pool.query(slow).catch((error: Error) => error);
    expect(failure).toMatchObject({
      code: 'ECONNRESET',
      message: 'embedded database restarted: a statement ran longer than 1000 ms',
    });
    await untilBack(rig.pool);
    const patient = `do $$ declare until timestamptz := clock_timestamp() + interval '2 seconds';
      begin while clock_timestamp() < until loop end loop; end $$`;
    await rig.engine.withDeadline(null, () => rig.pool.query(patient));
    await rig.engine.withDeadline(5000, () => rig.pool.query(patient));
    expect(await codeOf(rig.pool.query(patient))).toBe('ECONNRESET');
    await untilBack(rig.pool);
    await rig.close();
  });

  test('does not blame a statement for a reader that is slow', async () => {
    const rig = await openRig(join(root, 'watchdog'), { statementDeadlineMillis: 1000 });
    const client = new pg.Client(rig.engine.poolConfig());
    await client.connect();
    const { stream } = (client as unknown as { connection: { stream: import('node:stream').Duplex } }).connection;
    const answer = client.query(`select repeat('x', 1000000) as text from generate_series(1, 30)`);
    stream.pause();
    await sleep(2500);
    // Back-pressure: what nobody reads stays in the worker, bar its allowance of 4 MB.
    expect(stream.readableLength).toBeLessThan(5e6);
    stream.resume();
    expect((await answer).rows).toHaveLength(30);
    await client.end();
    await rig.close();
  });
});

describe('a full disk', () => {
  test('fails the write and keeps everything acknowledged', async (context) => {
    const disk = join(root, 'small-disk');
    mkdirSync(disk);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', disk]).status !== 0) {
      console.log('SKIPPED: only root can mount the small file system that this test fills');
      return context.skip();
    }
    try {
      const rig = await openRig(join(disk, 'data'));
      await rig.pool.query('create table item (id integer primary key, filler text)');
      const ballast = join(disk, 'ballast');
      writeFileSync(ballast, Buffer.alloc(statfsSync(disk).bavail * statfsSync(disk).bsize - 4e6));
      let acknowledged = 0;
      let code = '';
      while (code === '') {
        const filler = Math.random().toString(36).repeat(1500);
        try {
          await rig.pool.query('insert into item values ($1, $2)', [acknowledged, filler]);
          acknowledged += 1;
        } catch (error) {
          code = (error as { code: string }).code;
        }
      }
      expect(code).toBe('53100');
      rmSync(ballast);
      await rig.engine.restart('disk full');
      const { rows } = await rig.pool.query<{ count: number }>('select count(*)::int as count from item');
      expect(rows[0]!.count).toBeGreaterThanOrEqual(acknowledged);
      await rig.close();
    } finally {
      spawnSync('umount', [disk]);
    }
  });
});

describe('closing', () => {
  test('ends in good order on SIGTERM under load, and the next open has nothing to recover (case C117)', async () => {
    const directory = join(root, 'sigterm');
    const child = startChild('write-until-sigterm', [directory]);
    let output = '';
    child.stdout!.on('data', (chunk) => {
      output += chunk;
    });
    while (!output.includes('ready')) await sleep(10);
    await sleep(500);
    child.kill('SIGTERM');
    await new Promise((resolve) => child.on('close', resolve));
    expect(child.exitCode).toBe(0);
    const acknowledged = Number(/acknowledged (\d+)/.exec(output)![1]);
    expect(acknowledged).toBeGreaterThan(10);

    const rig = await openRig(directory);
    // Recovery syncs every file of the cluster, about two thousand.
    expect(rig.engine.syncCount()).toBeLessThan(100);
    const { rows } = await rig.pool.query('select count(*)::int as count from load');
    expect(rows).toEqual([{ count: acknowledged }]);
    await rig.close();
  });

  test('takes at most five seconds even when a statement does not end', async () => {
    const rig = await openRig(join(root, 'sigterm'));
    await rig.pool.query('select 1');
    const endless = rig.pool
      .query('select count(*) from generate_series(1, 1e18::bigint)')
      .catch((error: Error) => error);
    await sleep(300);
    const start = Date.now();
    await rig.engine.close();
    expect(Date.now() - start).toBeGreaterThan(4900);
    expect(Date.now() - start).toBeLessThan(8000);
    expect(await endless).toMatchObject({ code: 'ECONNRESET' });
    await rig.pool.end();
    const child = startChild('open-once', [join(root, 'sigterm')]);
    expect(await firstLine(child)).toBe('opened');
    await ended(child);
  });
});
