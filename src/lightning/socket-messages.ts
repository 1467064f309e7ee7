import type { RawData, WebSocket } from 'ws';
import { isJsonObject, type JsonObject } from '../kernel/json-object.ts';
import { connectionError } from '../kernel/outbound-error.ts';
import { Pace } from '../kernel/pace.ts';
import { WalletFault } from './connector.ts';
import { forbiddenFault } from './wallet-http.ts';

/** A socket that has not answered a ping by the next one is dead, however open it looks. */
const pingMillis = 20_000;
/** A reader that is this many messages behind gets a new connection and catches up. */
const mostUnread = 1000;

/** The text messages of a socket, after a null when it has opened. Closes the socket when the reader stops. */
export async function* socketMessages(socket: WebSocket, signal: AbortSignal): AsyncGenerator<string | null> {
  const unread: (string | null)[] = [];
  let ended: WalletFault | undefined;
  const pace = new Pace();
  const end = (fault: WalletFault) => {
    ended ??= fault;
    pace.wake();
  };
  let isAlive = true;
  const pings = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, pingMillis);
  const onAbort = () => end(new WalletFault('unreachable', 'The connection to the wallet was given up.'));
  signal.addEventListener('abort', onAbort, { once: true });
  socket.on('pong', () => {
    isAlive = true;
  });
  socket.on('open', () => {
    unread.push(null);
    pace.wake();
  });
  socket.on('message', (data: RawData) => {
    isAlive = true;
    if (unread.length >= mostUnread) return end(new WalletFault('protocol', 'The wallet sent more than can be read.'));
    unread.push(data.toString());
    pace.wake();
  });
  socket.on('error', (error) => end(toFault(socket, error)));
  socket.on('close', () => end(new WalletFault('unreachable', 'The wallet closed the connection.')));
  try {
    if (signal.aborted) onAbort();
    while (!ended) {
      if (unread.length > 0) {
        yield unread.shift()!;
        continue;
      }
      await pace.sleep();
    }
    throw ended;
  } finally {
    clearInterval(pings);
    signal.removeEventListener('abort', onAbort);
    socket.terminate();
  }
}

/** A message as the JSON object it should be; an empty one for anything else. */
export function readMessage(message: string): JsonObject {
  try {
    const value: unknown = JSON.parse(message);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function toFault(socket: WebSocket, error: Error): WalletFault {
  if (/\b40[13]\b/.test(error.message)) return forbiddenFault();
  return new WalletFault('unreachable', connectionError(new URL(socket.url).host, error, undefined).message, {
    cause: error,
  });
}
