import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';

/** A mail server that keeps what it is given (RFC 5321), or refuses it. */
export class SmtpServer {
  /** Raw messages, headers first. */
  readonly messages: string[] = [];
  /** What it answers to a recipient. */
  verdict: 'takes' | 'later' | 'never' = 'takes';
  /** What it answers to whoever connects, logs in or names a sender, where that is no yes. */
  refusal: { readonly to: 'greeting' | 'AUTH' | 'MAIL'; readonly answer: string } | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<SmtpServer> {
    const server = new SmtpServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {});
    let received = '';
    let isData = false;
    socket.write(this.refusal?.to === 'greeting' ? `${this.refusal.answer}\r\n` : '220 test\r\n');
    socket.on('data', (chunk) => {
      received += chunk;
      for (;;) {
        const end = received.indexOf(isData ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const text = received.slice(0, end);
        received = received.slice(end + (isData ? 5 : 2));
        if (isData) {
          this.messages.push(text);
          isData = false;
          socket.write('250 taken\r\n');
        } else isData = this.#answer(socket, text.toUpperCase());
      }
    });
  }

  /** @returns whether a message follows. */
  #answer(socket: Socket, command: string): boolean {
    const verdicts = { takes: '250 ok', later: '451 come back', never: '550 nobody of that name' };
    if (command.startsWith('DATA')) {
      socket.write('354 go on\r\n');
      return true;
    }
    if (command.startsWith('QUIT')) socket.end('221 bye\r\n');
    else if (this.refusal && command.startsWith(this.refusal.to)) socket.write(`${this.refusal.answer}\r\n`);
    else if (command.startsWith('EHLO')) socket.write('250-test\r\n250 AUTH PLAIN\r\n');
    else if (command.startsWith('AUTH')) socket.write('235 welcome\r\n');
    else socket.write(`${command.startsWith('RCPT') ? verdicts[this.verdict] : '250 ok'}\r\n`);
    return false;
  }
}
