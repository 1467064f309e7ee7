import type { MessagePort } from 'node:worker_threads';

/** What the worker is started with. */
export interface WorkerStart {
  /** Holds the cluster, or will. */
  directory: string;
  gauges: SharedArrayBuffer;
}

export type ToWorker =
  | { kind: 'connect'; port: MessagePort; flow: SharedArrayBuffer }
  /** Close the engine in good order and end. */
  | { kind: 'close' };

export type FromWorker =
  | { kind: 'ready' }
  /** The worker is about to end because of this. */
  | { kind: 'fatal'; reason: string }
  | { kind: 'notice'; text: string };

/** What travels over a session's port: the client's bytes one way, the engine's the other, null when it hangs up. */
export type SessionMessage = Uint8Array<ArrayBuffer> | null;
