import { WebSocket } from 'ws';
import type { OutboundOptions } from './outbound.ts';
import { guardedLookup, type HostLookup, pinned } from './outbound-connect.ts';
import { checkOutboundUrl } from './outbound-url.ts';

export interface SocketRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
}

const handshakeMs = 10_000;
/** Largest message. Bytes. */
const maxBytes = 256 * 1024;

/** Begins to open a socket to a checked address; redirects are not followed. @throws {OutboundError} for a bad URL. */
export function openSocket(
  { url, headers, protocols = [] }: SocketRequest,
  { allowPrivateNetworks, pinnedCertificate }: OutboundOptions,
  lookup: HostLookup,
): WebSocket {
  checkOutboundUrl(url.replace(/^ws/i, 'http'), { allowPrivateNetworks });
  return new WebSocket(url, [...protocols], {
    headers: { ...headers },
    handshakeTimeout: handshakeMs,
    maxPayload: maxBytes,
    followRedirects: false,
    lookup: guardedLookup(allowPrivateNetworks, lookup),
    ...pinned(pinnedCertificate),
  });
}
