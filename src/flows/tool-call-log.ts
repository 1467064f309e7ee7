import type { Database } from '../db/database.ts';
import type { Caller } from '../kernel/context.ts';
import { newId } from '../kernel/ids.ts';
import type { Logger } from '../kernel/log.ts';
import type { ToolCallRow } from '../model/tool-call.ts';
import { insertToolCalls } from '../store/tool-calls.ts';

/** How long calls gather before they are written together: what a process that is killed outright can lose. */
const gatherMillis = 100;
const retryMillis = 1000;
/** With no database to write to for long, memory counts more than the oldest of these. */
const mostWaiting = 50_000;

/** Notes which tools agents called, neither arguments nor results. No call waits for it, and it fails nobody's call. */
export interface ToolCallLog {
  note(caller: Caller, tool: string, success: boolean, at: Date): void;
  /** Writes what was noted and not written yet. @throws when the database does not take it. */
  flush(): Promise<void>;
}

export function createToolCallLog(db: Database, log: Logger): ToolCallLog {
  let waiting: ToolCallRow[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  /** A batch failed, and the database may have taken it all the same. */
  let isUnsure = false;

  function writeLater(millis: number): void {
    timer ??= setTimeout(() => {
      flush().catch((error) => {
        log.warn({ err: error, waiting: waiting.length }, 'tool calls were not noted; trying again');
        writeLater(retryMillis);
      });
    }, millis);
    timer.unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    // One after the other: a batch that fails goes back to the front.
    const write = writing.then(writeBatch);
    writing = write.catch(() => {});
    return write;
  }

  async function writeBatch(): Promise<void> {
    if (waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    try {
      await insertToolCalls(db, batch, isUnsure);
      isUnsure = false;
    } catch (error) {
      isUnsure = true;
      waiting = [...batch, ...waiting];
      throw error;
    }
  }

  return {
    note(caller, tool, success, at) {
      if (waiting.length >= mostWaiting) {
        waiting.shift();
        log.error({ tool }, 'the oldest tool call that waits to be noted was dropped');
      }
      waiting.push({
        id: newId(),
        merchant_id: caller.merchantId,
        livemode: caller.livemode,
        credential_id: caller.credentialId,
        tool,
        success,
        created_at: at,
      });
      writeLater(gatherMillis);
    },
    flush,
  };
}
