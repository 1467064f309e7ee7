// Child processes and what they cost. CPU time and memory come from /proc, so they are read on Linux only.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const millisPerTick = 10;

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  return port;
}

/**
 * A Node script with a message channel.
 * @param {string} path
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, nodeOptions?: string[], quiet?: boolean }} [settings]
 */
export function startScript(path, args, { env = process.env, nodeOptions = [], quiet = false } = {}) {
  const child = spawn(process.execPath, [...nodeOptions, path, ...args], {
    env,
    stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit', 'ipc'],
  });
  let ended = false;
  child.on('exit', () => {
    ended = true;
  });
  return {
    child,
    /** The first message that `wanted` accepts. */
    message: (wanted) =>
      new Promise((resolve, reject) => {
        const gone = () => reject(new Error(`${path} ended`));
        child.once('exit', gone);
        child.on('message', function listen(message) {
          if (!wanted(message)) return;
          child.off('message', listen).off('exit', gone);
          resolve(message);
        });
      }),
    get running() {
      return !ended;
    },
    cpuMillis: () => cpuMillis(child.pid),
    rssMegabytes: () => memoryMegabytes(child.pid, 'VmRSS'),
    /** The most it has ever held. */
    peakMegabytes: () => memoryMegabytes(child.pid, 'VmHWM'),
    async stop() {
      if (ended) return;
      child.kill('SIGTERM');
      await Promise.race([once(child, 'exit'), sleep(15_000)]);
      if (!ended) child.kill('SIGKILL');
    },
  };
}

function memoryMegabytes(pid, name) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** What a process of this machine has used since it began. */
export function cpuMillis(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * millisPerTick;
}
