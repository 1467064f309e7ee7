import type { FastifyInstance, FastifyReply } from 'fastify';

/** Answers of these paths may be read by any web page: they carry nothing that a page could not ask for itself. */
export function allowAnyOrigin(reply: FastifyReply): void {
  reply
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', 'x-request-id, retry-after, etag');
}

/** Answers the question a browser asks before it sends a key or a JSON body (Fetch standard, CORS preflight). */
export function addPreflight(server: FastifyInstance, url: string, methods: Iterable<string>): void {
  server.options(url, (_request, reply) => {
    allowAnyOrigin(reply);
    return reply
      .code(204)
      .header('access-control-allow-methods', [...methods].join(', '))
      .header(
        'access-control-allow-headers',
        'authorization, content-type, idempotency-key, if-none-match, x-access-token',
      )
      .header('access-control-max-age', '86400')
      .send();
  });
}
