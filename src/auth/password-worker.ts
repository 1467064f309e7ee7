/** The thread that checks passwords, one after the other. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { verifySync } from '@node-rs/argon2';
import type { Question, Reply } from './password-thread.ts';

/** A tenth of what others get while they want the same processor, and all of it while nobody does. */
const niceness = 10;

/** Linux gives each thread a priority of its own. Elsewhere it stays as it is: a whole process must not step back. */
function stepBack(): void {
  if (process.platform !== 'linux') return;
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (threadId > 0 && threadId !== process.pid) setPriority(threadId, niceness);
  } catch {
    // Without /proc, or where that is not allowed, passwords are checked all the same.
  }
}

stepBack();
const main = parentPort!;
main.on('message', ({ id, hash, password }: Question) => {
  main.postMessage({ id, isRight: verifySync(hash, password) } satisfies Reply);
});
