import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { ended, firstLine, openRig, startChild, temporaryDirectory } from './engine-rig.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);
const kills = process.env.SOAK ? 30 : 8;

describe('durability', () => {
  test('gives every commit one fdatasync of its own', async (context) => {
    if (spawnSync('strace', ['-V']).error) {
      console.log('SKIPPED: strace is not installed, so nobody saw whether commits reach the disk');
      return context.skip();
    }
    const trace = join(root, 'trace');
    const strace = ['strace', '-f', '-e', 'trace=fdatasync,access,faccessat,faccessat2', '-o', trace];
    const child = startChild('commit-fifty', [join(root, 'strace')], { under: strace });
    const counted = await firstLine(child);
    await ended(child);
    const lines = readFileSync(trace, 'utf8').split('\n');
    const at = (mark: string) => lines.findIndex((line) => line.includes(mark));
    const syncs = lines.slice(at('/mark-begin'), at('/mark-end')).filter((line) => line.includes('fdatasync('));
    const threads = new Set(syncs.map((line) => line.split(' ')[0]));
    expect(at('/mark-end')).toBeGreaterThan(at('/mark-begin'));
    expect(syncs).toHaveLength(50);
    expect(counted).toBe('50');
    expect(threads.size).toBe(1);
    expect(threads.has(lines[at('/mark-begin')]!.split(' ')[0])).toBe(false);
  });

  test(`loses nothing acknowledged in ${kills} kills while writing (case C117)`, {
    timeout: kills * 20_000,
  }, async () => {
    const directory = join(root, 'kills');
    const acknowledged: string[] = [];
    for (let round = 0; round < kills; round += 1) {
      const child = startChild('write-until-killed', [directory, String(round)]);
      let output = '';
      child.stdout!.on('data', (chunk) => {
        output += chunk;
        if (String(chunk).startsWith('ready')) void sleep(30 + Math.random() * 1000).then(() => child.kill('SIGKILL'));
      });
      await new Promise((resolve) => child.on('close', resolve));
      expect(output.startsWith('ready\n')).toBe(true);
      // The last line may be cut off: then it was not said.
      acknowledged.push(...output.slice(6, output.lastIndexOf('\n')).split(/\s+/).filter(Boolean));
    }

    const rig = await openRig(directory);
    const { rows } = await rig.pool.query<{ id: string; partner: string | null }>('select id, partner from kept');
    const kept = new Set(rows.map((row) => row.id));
    expect(acknowledged.length).toBeGreaterThan(kills);
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    // Both halves of a transaction or none, and its counter with them.
    expect(rows.filter((row) => row.partner !== null && !kept.has(row.partner))).toEqual([]);
    const counters = await rig.pool.query<{ total: number }>(
      'select coalesce(sum(value), 0)::int as total from counter',
    );
    expect(counters.rows[0]!.total * 2).toBe(rows.filter((row) => row.partner !== null).length);
    await rig.pool.query('reindex table kept');
    await rig.pool.query('vacuum analyze');
    const counts = await rig.pool.query<{ count: number }>('select count(*)::int as count from kept');
    expect(counts.rows[0]!.count).toBe(rows.length);
    await rig.close();
    console.log(`${kills} kills: ${acknowledged.length} acknowledged, ${rows.length} kept`);
  });

  test('starts anew after a kill while unpacking or opening', async () => {
    const directory = join(root, 'unpack');
    const entries = () => (existsSync(directory) ? readdirSync(directory).sort() : []);
    const kills = [
      ...[0, 20, 60].map((millis) => ({ once: /^pg\.unpacking-/, millis })),
      ...[0, 300].map((millis) => ({ once: /^pg$/, millis })),
    ];
    let unpacking = 0;
    for (const { once, millis } of kills) {
      const child = startChild('open-once', [directory]);
      // Counted from what it has done: how long it takes to come so far is different on every machine.
      while (!entries().some((name) => once.test(name))) await sleep(2);
      await sleep(millis);
      child.kill('SIGKILL');
      await ended(child);
      if (entries().some((name) => name.startsWith('pg.unpacking-'))) unpacking += 1;
    }
    const child = startChild('open-once', [directory]);
    expect(await firstLine(child)).toBe('opened');
    await ended(child);
    expect(entries()).toEqual(['lock', 'pg']);
    expect(unpacking).toBeGreaterThan(0);
  });
});
