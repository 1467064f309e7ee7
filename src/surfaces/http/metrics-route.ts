import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectMetrics } from '../../flows/collect-metrics.ts';
import type { Parts } from '../../flows/parts.ts';
import { AppError } from '../../kernel/errors.ts';
import { sha256Hex } from '../../kernel/secrets.ts';

/**
 * `/metrics` tells how a business is doing, so it is for the operator: with the configured token, or without one only to
 * a peer on this machine that no proxy speaks for.
 */
export function addMetricsRoute(app: FastifyInstance, parts: Parts, token: string | undefined): void {
  app.get('/metrics', async (request, reply) => {
    if (!isOperator(request, token)) {
      throw new AppError('forbidden', 'Metrics are for the operator; set METRICS_TOKEN and send it as a Bearer token');
    }
    const { contentType, text } = await collectMetrics(parts);
    return reply.type(contentType).send(text);
  });
}

function isOperator(request: FastifyRequest, token: string | undefined): boolean {
  if (token !== undefined) {
    const sent = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(Buffer.from(sha256Hex(sent)), Buffer.from(sha256Hex(token)));
  }
  const peer = request.socket.remoteAddress ?? '';
  const isForwarded = request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined;
  return !isForwarded && ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(peer);
}
