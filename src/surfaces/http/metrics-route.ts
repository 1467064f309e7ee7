import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectMetrics } from '../../flows/collect-metrics.ts';
import type { Parts } from '../../flows/parts.ts';
import { AppError } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import { sha256Hex } from '../../kernel/secrets.ts';

/**
 * `/metrics` tells how a business is doing, so it is for the operator: with the configured token, or without one only
 * where the service is for this machine alone, to a peer on it.
 */
export function addMetricsRoute(app: FastifyInstance, parts: Parts, token: string | undefined): void {
  app.get('/metrics', async (request, reply) => {
    if (!(token === undefined ? isOnThisMachine(request, parts.links.publicUrl) : hasToken(request, token))) {
      throw new AppError('forbidden', 'Metrics are for the operator; set METRICS_TOKEN and send it as a Bearer token');
    }
    const { contentType, text } = await collectMetrics(parts);
    return reply.type(contentType).send(text);
  });
}

function hasToken({ headers }: FastifyRequest, token: string): boolean {
  const sent = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(Buffer.from(sha256Hex(sent)), Buffer.from(sha256Hex(token)));
}

/**
 * A service with a public address has a proxy before it, which may be on this machine and say for nobody that it speaks.
 * A web page whose name was pointed here (DNS rebinding) gives itself away by that name.
 */
function isOnThisMachine({ headers, socket }: FastifyRequest, publicUrl: string): boolean {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  const asked = `http://${headers.host ?? ''}`;
  const names = [asked, publicUrl].map((address) => (URL.canParse(address) ? new URL(address).hostname : ''));
  return !isForwarded && isLoopbackAddress(socket.remoteAddress ?? '') && names.every(isLoopback);
}

function isLoopbackAddress(address: string): boolean {
  return isLoopback(address.replace(/^::ffff:/, ''));
}
