import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const log = join(import.meta.dirname, '../../dist/kernel/log.js');

/** Has Node run code that logs. */
const argumentsFor = (code: string) => [
  '--input-type=module',
  '--eval',
  `const { createLog, closeLog } = await import(${JSON.stringify(log)}); const log = createLog('info'); ${code}`,
];

/** What a process of its own prints, which logs and closes its log in the code that is given. */
async function linesOf(code: string): Promise<{ msg: string; time: string }[]> {
  const { stdout } = await promisify(execFile)(process.execPath, argumentsFor(code));
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('lines come out in their order, those of the last turn before the end too', async () => {
  const lines = await linesOf(`
    const { setTimeout: sleep } = await import('node:timers/promises');
    for (let line = 0; line < 300; line++) { log.info(String(line)); if (line % 7 === 0) await sleep(0); }
    await closeLog(log);
    process.exit(0);`);
  expect(lines.map(({ msg }) => msg)).toEqual(Array.from({ length: 300 }, (_, line) => String(line)));
  for (const { time } of lines) expect(new Date(time).toISOString()).toBe(time);
  expect(lines.map(({ time }) => time)).toEqual(lines.map(({ time }) => time).sort());
});

test('a process that ends in the middle of a turn has written what it said', async () => {
  const lines = await linesOf(`log.warn('one'); log.error('two'); process.exit(0);`);
  expect(lines.map(({ msg }) => msg)).toEqual(['one', 'two']);
});

test('a process that says little is heard while it lives', async () => {
  const child = spawn(process.execPath, argumentsFor(`log.info('alone'); setInterval(() => {}, 60_000);`));
  try {
    const [text] = await once(child.stdout, 'data');
    expect(JSON.parse(text)).toMatchObject({ msg: 'alone' });
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill('SIGKILL');
  }
});
