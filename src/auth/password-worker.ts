/** The thread that hashes passwords and checks them, one after the other. */
import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import type { Question, Reply } from './password-thread.ts';

/** Ten steps of niceness: a tenth of what the process gets while both want a processor, and all of it while it is idle. */
const stepsBack = 10;
const nicest = 19;

/** Linux gives each thread a priority of its own. Elsewhere it stays as it is: a whole process must not step back. */
function stepBack(): void {
  if (process.platform !== 'linux') return;
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (threadId > 0 && threadId !== process.pid) {
      setPriority(threadId, Math.min(nicest, getPriority() + stepsBack));
    }
  } catch {
    // Without /proc, or where that is not allowed, passwords are hashed all the same.
  }
}

stepBack();
const main = parentPort!;
main.on('message', (question: Question) => {
  const { id, password } = question;
  const answer = 'hash' in question ? verifySync(question.hash, password) : hashSync(password, question.settings);
  main.postMessage({ id, answer } satisfies Reply);
});
