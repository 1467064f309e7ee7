import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

// Higher levels take many times the work for a few percent.
const brotliLevel = 5;
const worthwhileChars = 1400;

/**
 * Fastify's `onSend` for pages: HTML goes out as brotli or gzip where the browser takes it. Event streams and everything
 * else stay as they are. For pages only that show no text from the request beside a secret (the BREACH attack).
 */
export async function compressPages(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const type = reply.getHeader('content-type');
  if (typeof payload !== 'string' || payload.length < worthwhileChars || !`${type}`.startsWith('text/html'))
    return payload;
  reply.header('vary', [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '));
  const encoding = chooseEncoding(request.headers['accept-encoding'] ?? '');
  if (!encoding) return payload;
  reply.header('content-encoding', encoding);
  const bytes =
    encoding === 'br'
      ? await toBrotli(payload, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: brotliLevel,
            [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
            [constants.BROTLI_PARAM_SIZE_HINT]: payload.length,
          },
        })
      : await toGzip(payload);
  reply.header('content-length', bytes.length);
  return bytes;
}

function chooseEncoding(accepted: string): 'br' | 'gzip' | undefined {
  const names = accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*/))
    .filter(([, quality]) => !/^q=0(\.0+)?$/.test(quality ?? ''))
    .map(([name]) => name);
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : undefined;
}
