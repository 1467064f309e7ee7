import type { Caller } from '../kernel/context.ts';
import { insertToolCall } from '../store/tool-calls.ts';
import type { Parts } from './parts.ts';

/** Notes that an agent called a tool; neither arguments nor results. Nobody waits for it, and it fails nobody's call. */
export function recordToolCall({ db, clock, log }: Parts, caller: Caller, tool: string, success: boolean): void {
  insertToolCall(db, caller, { credentialId: caller.credentialId, tool, success, at: clock.now() }).catch((error) =>
    log.warn({ err: error, tool }, 'a tool call was not noted'),
  );
}
