import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/loopback.ts';

/** A password and a cookie would cross a network unencrypted. */
export class NeedsHttps extends AppError {
  constructor() {
    super('forbidden', 'Signing in needs https: set PUBLIC_URL to the https address of this service');
  }
}

/**
 * How the cookie is called and kept. `__Host-` binds it to https and to this very host, so that no neighbouring host can
 * plant one (RFC 6265bis, 4.1.3.2). Browsers take neither on plain http: there, and only between a browser and a server on
 * one machine, it has a plain name.
 * @throws {NeedsHttps} 403 anywhere else.
 */
function cookieTerms(request: FastifyRequest, publicUrl: string): { name: string; secure: boolean } {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'https:') return { name: '__Host-satline_session', secure: true };
  if (isLoopback(hostname) && isLoopback(request.hostname)) return { name: 'satline_session', secure: false };
  throw new NeedsHttps();
}

/** The token in a request's cookie. @throws {NeedsHttps} 403. */
export function readSessionToken(request: FastifyRequest, publicUrl: string): string | undefined {
  const start = `${cookieTerms(request, publicUrl).name}=`;
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}

/** Keeps a session's token in the browser until its window is closed: there is no Max-Age. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, publicUrl: string, token: string): void {
  const { name, secure } = cookieTerms(request, publicUrl);
  reply.header('set-cookie', `${name}=${token}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`);
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  const { name, secure } = cookieTerms(request, publicUrl);
  reply.header('set-cookie', `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`);
}
