/** Starts LDK's WASM build, once per process. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import * as ldk from 'lightningdevkit';

let starting: Promise<void> | undefined;

/**
 * Must have resolved before anything else of LDK is touched. Takes about a third of a second, once.
 *
 * The only place that may start it: a second start puts a new memory under the objects of the first, and whatever is
 * freed afterwards, nodes of an earlier test file among them, is freed in the wrong one.
 */
export function loadLdk(): Promise<void> {
  starting ??= start();
  return starting;
}

async function start(): Promise<void> {
  // require.resolve rather than import.meta.resolve: the test runner's module loader does not offer the latter.
  const wasm = await readFile(createRequire(import.meta.url).resolve('lightningdevkit/liblightningjs.wasm'));
  // The bindings greet on the console. Swallow that one line and leave everybody else's output alone.
  const log = console.log;
  console.log = (...words: unknown[]) => {
    if (!String(words[0]).startsWith('Loaded LDK')) log(...words);
  };
  try {
    await ldk.initializeWasmFromBinary(wasm);
  } finally {
    console.log = log;
  }
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

export function fromHex(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'));
}

/** Readable words for an LDK error object: its class, and its message where it carries one. */
export function describeLdkError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const message = (error as { err?: unknown }).err;
  return message === undefined ? error.constructor.name : `${error.constructor.name} (${String(message)})`;
}
