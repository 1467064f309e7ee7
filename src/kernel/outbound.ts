import type { WebSocket } from 'ws';
import { type HostLookup, lookupHost, openAgent } from './outbound-connect.ts';
import { OutboundError } from './outbound-error.ts';
import { exchange, type OutboundRequest, type OutboundResponse } from './outbound-exchange.ts';
import { openLines } from './outbound-lines.ts';
import { openSocket, type SocketRequest } from './outbound-socket.ts';
import { checkOutboundUrl } from './outbound-url.ts';

/**
 * The one way out: every request to a host that somebody else chose goes through here. Addresses are checked and
 * pinned when a connection is opened, redirects are not followed, time and size are limited.
 */
export interface Outbound {
  readonly allowPrivateNetworks: boolean;
  /** Resolves with any answer that is not a redirect; rejects with `OutboundError`. */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /** The lines of an answer that goes on until `signal` aborts; silence of five minutes ends it as well. */
  lines(request: Pick<OutboundRequest, 'url' | 'headers'> & { signal: AbortSignal }): AsyncIterable<string>;
  /** Begins to open a WebSocket (`ws:` or `wss:`); whoever called listens to its events and closes it. */
  socket(request: SocketRequest): WebSocket;
  /** Ends all connections; requests under way fail. Sockets end with those who opened them. */
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** Lets everything through but link-local and metadata addresses. Only for a service that is itself on loopback. */
  readonly allowPrivateNetworks: boolean;
  readonly lookup?: HostLookup;
  /**
   * A certificate in PEM: only a server that has it, or one signed with it, is spoken to, whatever name it answers to.
   * For wallets with a certificate of their own.
   */
  readonly pinnedCertificate?: string | undefined;
  /** Sockets to one host; 64 unless given. */
  readonly connectionsPerOrigin?: number;
}

/** Opens the client; nothing is connected before the first request. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { allowPrivateNetworks, lookup = lookupHost, connectionsPerOrigin = 64 } = options;
  const { pinnedCertificate } = options;
  const agent = openAgent({ allowPrivateNetworks, lookup, pinnedCertificate, connectionsPerOrigin });
  return {
    allowPrivateNetworks,
    async request(request) {
      const url = checkOutboundUrl(String(request.url), { allowPrivateNetworks, maximumLength: 8192 });
      const method = request.method ?? 'GET';
      const headers = withName(request.headers);
      const send = (timeoutMillis: number) => exchange(agent, url, { ...request, method, headers, timeoutMillis });
      const startedAt = performance.now();
      try {
        return await send(request.timeoutMillis);
      } catch (error) {
        // A kept connection may be closed by the other side just as we use it; only harmless methods are repeated.
        if (!isReset(error) || (method !== 'GET' && method !== 'HEAD')) throw error;
        return await send(request.timeoutMillis - (performance.now() - startedAt));
      }
    },
    lines({ url: target, headers, signal }) {
      const url = checkOutboundUrl(String(target), { allowPrivateNetworks, maximumLength: 8192 });
      return openLines(agent, url, withName(headers), signal);
    },
    socket: (request) => openSocket({ ...request, headers: withName(request.headers) }, options, lookup),
    close: () => agent.destroy(),
  };
}

/** Says who asks. */
function withName(headers: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return { 'user-agent': 'Satline', ...headers };
}

function isReset(error: unknown): boolean {
  if (!(error instanceof OutboundError) || error.kind !== 'unreachable' || error.status !== undefined) return false;
  const code = (error.cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
