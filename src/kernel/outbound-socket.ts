import { WebSocket } from 'ws';
import { guardedLookup, type HostLookup, pinned } from './outbound-connect.ts';
import { checkOutboundUrl } from './outbound-url.ts';

export interface SocketRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
}

/** The part of the client's options that decides whom a socket may reach. */
interface SocketRules {
  readonly allowPrivateNetworks: boolean;
  readonly pinnedCertificate?: string | undefined;
}

const handshakeMillis = 10_000;
/** Largest message. Bytes. */
const maxBytes = 256 * 1024;

/** Begins to open a socket to a checked address; redirects are not followed. @throws {OutboundError} for a bad URL. */
export function openSocket(
  { url, headers, protocols = [] }: SocketRequest,
  { allowPrivateNetworks, pinnedCertificate }: SocketRules,
  lookup: HostLookup,
): WebSocket {
  checkOutboundUrl(url.replace(/^ws/i, 'http'), { allowPrivateNetworks });
  return new WebSocket(url, [...protocols], {
    headers: { ...headers },
    handshakeTimeout: handshakeMillis,
    maxPayload: maxBytes,
    followRedirects: false,
    lookup: guardedLookup(allowPrivateNetworks, lookup),
    ...pinned(pinnedCertificate),
  });
}
