const sslRequest = 80877103;
const gssRequest = 80877104;
const cancelRequest = 80877102;
const largestMessage = 2 ** 30;

const query = 0x51;
const sync = 0x53;
const terminate = 0x58;

/** What a client sent, cut so that the engine can take each piece in one call. */
export type Frame =
  | { kind: 'startup'; bytes: Uint8Array }
  /** A wish for encryption, which the client sends before its startup packet. */
  | { kind: 'encryption' }
  /** Whole messages. `complete`: the last one is a Query or a Sync, so the engine answers with ReadyForQuery. */
  | { kind: 'messages'; bytes: Uint8Array; complete: boolean }
  | { kind: 'end' };

/**
 * Cuts the byte stream of a PostgreSQL client (protocol 3, "Message Formats") at message boundaries. The engine takes
 * an incomplete message for the end of the connection, so it must never see one.
 */
export class Framer {
  #started = false;
  #parts: Uint8Array[] = [];
  #held = 0;
  #needed = 0;

  /** @throws when the bytes cannot be this protocol. */
  push(chunk: Uint8Array): Frame[] {
    this.#parts.push(chunk);
    this.#held += chunk.length;
    // Joining at every chunk would copy a large message again and again.
    if (this.#held < this.#needed) return [];
    const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts);
    const frames: Frame[] = [];
    const rest = bytes.subarray(this.#cut(bytes, frames));
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#held = rest.length;
    return frames;
  }

  /** @returns how many bytes the frames cover. */
  #cut(bytes: Uint8Array, frames: Frame[]): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    while (!this.#started) {
      const size = this.#sizeAt(view, at, 0);
      if (size === undefined) return at;
      frames.push(this.#first(view, at, bytes.subarray(at, at + size)));
      at += size;
    }
    const from = at;
    let last = 0;
    for (;;) {
      const size = this.#sizeAt(view, at, 1);
      if (size === undefined) break;
      if (bytes[at] === terminate) {
        addMessages(frames, bytes.subarray(from, at), last);
        frames.push({ kind: 'end' });
        return bytes.length;
      }
      last = bytes[at]!;
      at += size;
    }
    addMessages(frames, bytes.subarray(from, at), last);
    return at;
  }

  /** The first packets of a connection have no type byte. */
  #first(view: DataView, at: number, bytes: Uint8Array): Frame {
    const code = view.byteLength >= at + 8 ? view.getInt32(at + 4) : 0;
    if (code === sslRequest || code === gssRequest) return { kind: 'encryption' };
    this.#started = true;
    return code === cancelRequest ? { kind: 'end' } : { kind: 'startup', bytes };
  }

  /** Size of the message at `at` with its type byte; undefined until it has arrived as a whole. */
  #sizeAt(view: DataView, at: number, typeBytes: 0 | 1): number | undefined {
    const left = view.byteLength - at;
    this.#needed = typeBytes + 4;
    if (left < this.#needed) return undefined;
    const length = view.getInt32(at + typeBytes);
    if (length < 4 || length > largestMessage)
      throw new Error(`a message of ${length} bytes is not PostgreSQL's protocol`);
    this.#needed = typeBytes + length;
    return left < this.#needed ? undefined : this.#needed;
  }
}

function addMessages(frames: Frame[], bytes: Uint8Array, last: number): void {
  if (bytes.length > 0) frames.push({ kind: 'messages', bytes, complete: last === query || last === sync });
}

/** A simple query, or a Sync when there is no text. */
export function frontendMessage(text?: string): Uint8Array {
  const body = text === undefined ? Buffer.alloc(0) : Buffer.from(`${text}\0`);
  const message = Buffer.alloc(5 + body.length);
  message[0] = text === undefined ? sync : query;
  message.writeInt32BE(4 + body.length, 1);
  body.copy(message, 5);
  return message;
}
