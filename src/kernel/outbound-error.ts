export type OutboundErrorKind =
  | 'refused_url'
  | 'refused_address'
  | 'redirect'
  | 'timeout'
  | 'too_large'
  | 'unreachable'
  | 'aborted';

/**
 * A request that was not sent or not answered. The message is a sentence that may be shown to a merchant: it names the host
 * they gave, and neither an address it resolved to nor anything that was answered.
 */
export class OutboundError extends Error {
  readonly kind: OutboundErrorKind;
  /** HTTP status, when one was seen. */
  readonly status: number | undefined;

  constructor(
    kind: OutboundErrorKind,
    message: string,
    options: { cause?: unknown; status?: number | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'OutboundError';
    this.kind = kind;
    this.status = options.status;
  }
}

/** One text for literals and names alike, so that the answer does not tell what a name resolved to. */
export function refusedAddress(): OutboundError {
  return new OutboundError('refused_address', 'The URL leads to an address that is not allowed.');
}

const failures = new Map<string, readonly [kind: OutboundErrorKind, text: string]>([
  ['UND_ERR_CONNECT_TIMEOUT', ['timeout', 'did not answer in time.']],
  ['ETIMEDOUT', ['timeout', 'did not answer in time.']],
  ['UND_ERR_HEADERS_OVERFLOW', ['too_large', 'answered with too many headers.']],
  ['UND_ERR_DESTROYED', ['aborted', 'was not asked because the service is stopping.']],
  ['ENOTFOUND', ['unreachable', 'is not a known host name.']],
  ['EAI_AGAIN', ['unreachable', 'could not be looked up.']],
  ['ECONNREFUSED', ['unreachable', 'does not accept connections.']],
  ['ECONNRESET', ['unreachable', 'closed the connection.']],
  ['EPIPE', ['unreachable', 'closed the connection.']],
  ['UND_ERR_SOCKET', ['unreachable', 'closed the connection.']],
  ['CERT_HAS_EXPIRED', ['unreachable', 'has an expired certificate.']],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', ['unreachable', 'has a certificate that is not trusted.']],
  ['SELF_SIGNED_CERT_IN_CHAIN', ['unreachable', 'has a certificate that is not trusted.']],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', ['unreachable', 'has a certificate that is not trusted.']],
  ['ERR_TLS_CERT_ALTNAME_INVALID', ['unreachable', 'has a certificate for another name.']],
]);

/** A plain sentence for what a socket or the HTTP client reports; their own texts contain addresses. */
export function connectionError(host: string, cause: Error, status: number | undefined): OutboundError {
  if (cause instanceof OutboundError) return cause;
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  const [kind, text] = failures.get(code) ?? ['unreachable', 'could not be reached.'];
  return new OutboundError(kind, `${host} ${text}`, { cause, status });
}
