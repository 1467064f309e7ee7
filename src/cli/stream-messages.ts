/** One message of a stream of server-sent events (HTML standard, "Server-sent events"). */
export interface StreamMessage {
  /** May stand alone: a place to resume from. */
  id: string;
  event: string;
  data: string;
}

/** Reads messages from the bytes of a stream; ends with it. A message that is cut off at the end does not count. */
export async function* readMessages(bytes: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) yield readBlock(block);
  }
}

function readBlock(block: string): StreamMessage {
  const message: StreamMessage = { id: '', event: 'message', data: '' };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const [name, value] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    if (name === 'data') data.push(value);
    else if (name === 'id' || name === 'event') message[name] = value;
  }
  return { ...message, data: data.join('\n') };
}
