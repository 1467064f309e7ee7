import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const addressInReadme = 'http://127.0.0.1:3000';
/** A first start and eight processes, on a machine that is busy with other tests. */
const slowMachineMillis = 180_000;
const hasCurl = spawnSync('curl', ['--version']).status === 0;

// A clean environment: what the person who reads the README has.
const env = { PATH: process.env.PATH, HOME: process.env.HOME };

/** The commands between the fences that carry this word after the language. */
function fencedBlock(page: string, word: string): string {
  const block = new RegExp(`^\`\`\`sh ${word}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(readFileSync(page, 'utf8'))?.[1];
  if (block === undefined) throw new Error(`${page} has no block marked ${word}`);
  return block;
}

describe.skipIf(!hasCurl)('the README’s first payment', () => {
  let folder: string;
  let service: ChildProcess;
  let address: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'satline-readme-'));
    service = spawn(process.execPath, [resolve('dist/bundle/start.js')], {
      cwd: folder,
      // Any port, because somebody may be using 3000.
      env: { ...env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    address = await addressInBanner(service);
  }, slowMachineMillis);

  afterAll(async () => {
    if (service.exitCode === null) {
      service.kill('SIGTERM');
      await once(service, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test(
    'works as it is written',
    () => {
      const commands = fencedBlock('README.md', 'first-payment');
      expect(commands).toContain(addressInReadme);
      const { stdout, stderr, status } = spawnSync('sh', ['-eu', '-c', commands.replaceAll(addressInReadme, address)], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const lines = stdout.trim().split('\n');
      expect(lines[0]).toMatch(/^lnbcrt/);
      expect(lines.at(-1)).toBe('paid');
    },
    slowMachineMillis,
  );

  test('names the page that shows the API', async () => {
    expect(readFileSync('README.md', 'utf8')).toContain(`<${addressInReadme}/docs>`);
    expect((await fetch(`${address}/docs`)).status).toBe(200);
  });
});

async function addressInBanner(service: ChildProcess): Promise<string> {
  let seen = '';
  for await (const chunk of service.stdout!) {
    seen += chunk;
    const address = /ready at (http:\S+)/.exec(seen)?.[1];
    if (address !== undefined) {
      // Read on, or the log of the service would fill the pipe and stop it.
      service.stdout!.resume();
      return address;
    }
  }
  throw new Error(`The service ended without a banner: ${seen}`);
}
