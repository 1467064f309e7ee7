import type { FastifyInstance, FastifyReply } from 'fastify';

/** Names of headers, beside those that browsers always let through. */
interface SharedHeaders {
  /** That a page may read in an answer. */
  readonly exposed: string;
  /** That a page may send. */
  readonly allowed: string;
}

const apiHeaders: SharedHeaders = {
  exposed: 'x-request-id, retry-after, etag, idempotent-replayed, ratelimit, ratelimit-policy',
  allowed: 'authorization, content-type, idempotency-key, if-none-match, x-access-token',
};

/** Answers of these paths may be read by any web page: no cookie counts there that a foreign page could ride on. */
export function allowAnyOrigin(reply: FastifyReply, { exposed } = apiHeaders): FastifyReply {
  return reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', exposed);
}

/** Answers the question a browser asks before it sends a key or a JSON body (Fetch standard, CORS preflight). */
export function addPreflight(
  server: FastifyInstance,
  url: string,
  methods: Iterable<string>,
  headers = apiHeaders,
): void {
  server.options(url, (_request, reply) =>
    allowAnyOrigin(reply, headers)
      .code(204)
      .header('access-control-allow-methods', [...methods].join(', '))
      .header('access-control-allow-headers', headers.allowed)
      .header('access-control-max-age', '86400')
      .send(),
  );
}
