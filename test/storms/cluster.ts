import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const home = '/usr/lib/postgresql';

/** Where Debian puts PostgreSQL's own programs; undefined when there are none. */
export function findPostgresPrograms(): string | undefined {
  if (!existsSync(home)) return undefined;
  const newest = readdirSync(home).sort((a, b) => Number(b) - Number(a))[0];
  const bin = newest && join(home, newest, 'bin');
  return bin && existsSync(join(bin, 'pg_ctl')) ? bin : undefined;
}

/** A PostgreSQL server of a test's own, which it may stop and start as it likes. */
export class Cluster {
  readonly url: string;
  readonly #bin: string;
  readonly #directory: string;
  readonly #data: string;

  private constructor(bin: string, directory: string, port: number) {
    this.#bin = bin;
    this.#directory = directory;
    this.#data = join(directory, 'data');
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  static async start(bin: string): Promise<Cluster> {
    // The user postgres must be able to walk there.
    const directory = mkdtempSync(join(tmpdir(), 'satline-cluster-'));
    chmodSync(directory, 0o777);
    const port = await freePort();
    const cluster = new Cluster(bin, directory, port);
    await cluster.#run(
      'initdb',
      '-D',
      cluster.#data,
      '-U',
      'postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
    );
    cluster.#options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=100`;
    await cluster.up();
    return cluster;
  }
  #options = '';

  async up(): Promise<void> {
    const log = join(this.#directory, 'server.log');
    await this.#run('pg_ctl', '-D', this.#data, '-l', log, '-w', '-t', '60', '-o', this.#options, 'start');
  }

  /** @param mode `immediate` is what a crash leaves behind, `fast` what an administrator does. */
  async down(mode: 'immediate' | 'fast'): Promise<void> {
    await this.#run('pg_ctl', '-D', this.#data, '-m', mode, '-w', 'stop');
  }

  async remove(): Promise<void> {
    await this.down('immediate');
    rmSync(this.#directory, { recursive: true, force: true });
  }

  // PostgreSQL refuses to run as root; anybody else runs it as himself. Awaited: what a test has under way goes on.
  async #run(program: string, ...args: string[]): Promise<void> {
    const command = [join(this.#bin, program), ...args];
    const [first, ...rest] = userInfo().uid === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    const child = spawn(first!, rest, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
    let printed = '';
    child.stderr.on('data', (chunk) => {
      printed += chunk;
    });
    // Not `close`: the server that pg_ctl starts may hold on to the pipe.
    const [status] = await once(child, 'exit');
    child.stderr.destroy();
    if (status !== 0) throw new Error(`${program} failed: ${printed}`);
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
