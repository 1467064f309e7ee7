import type { TestApp } from './app.ts';

export interface Message {
  id: string;
  event: string;
  data: string;
}

/** A client of a server-sent event stream over a real connection. */
export class EventStream {
  readonly messages: Message[] = [];
  readonly comments: string[] = [];
  /** As a browser keeps it: also ids without data count. */
  lastEventId = '';
  status = 0;
  headers = new Headers();
  /** Resolves when the stream has ended, from either side. */
  ended: Promise<void> = Promise.resolve();
  readonly #abort = new AbortController();
  readonly #waiting: (() => void)[] = [];

  static async open(url: string, key: string, headers: Record<string, string> = {}): Promise<EventStream> {
    const stream = new EventStream();
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${key}`, ...headers },
      signal: stream.#abort.signal,
    });
    stream.status = response.status;
    stream.headers = response.headers;
    stream.ended = stream.#read(response).catch(() => {});
    return stream;
  }

  /** Resolves when so many messages have arrived. */
  async wait(count: number): Promise<Message[]> {
    while (this.messages.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.messages;
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.ended;
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) this.#take(block);
      this.#waiting.splice(0).forEach((look) => void look());
    }
  }

  #take(block: string): void {
    const message: Message = { id: '', event: 'message', data: '' };
    for (const line of block.split('\n')) {
      const [, name, value] = /^([^:]*): ?(.*)$/s.exec(line)!;
      if (name === '') this.comments.push(value!);
      else if (name === 'id' || name === 'event' || name === 'data') message[name] = value!;
    }
    if (message.id !== '') this.lastEventId = message.id;
    if (message.data !== '') this.messages.push(message);
  }
}

/** Opens a port for a test app. @returns its address. */
export async function listen(app: TestApp): Promise<string> {
  return app.app.listen({ host: '127.0.0.1', port: 0 });
}

/** @returns how many answers have come to their end since, or lost their reader, as the server sees it. */
export function countEnded({ app }: TestApp): () => number {
  let count = 0;
  app.server.on('request', (_request, response) => response.once('close', () => count++));
  return () => count;
}
