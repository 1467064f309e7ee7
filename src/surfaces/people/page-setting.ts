import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TrySource } from '../../flows/check-credentials.ts';
import { findTextFault } from '../../kernel/text.ts';
import { newNonce, type PageHeaderOptions, pageHeaders } from '../pages/headers.ts';
import { askedLanguage, chooseLanguage, type Language } from '../pages/language.ts';
import type { Setting } from './pages/people-page.tsx';

/**
 * Language and nonce of the page that answers a request; its headers are set on the reply.
 * @param formOrigins as of `pageHeaders()`
 */
export function beginPage(
  request: FastifyRequest,
  reply: FastifyReply,
  formOrigins?: PageHeaderOptions['formOrigins'],
): Setting {
  const nonce = newNonce();
  reply.headers(pageHeaders({ nonce, formOrigins }));
  // With `no-referrer` a browser would send its own forms with the origin `null`, as good as none (Fetch, 3.2).
  reply.header('referrer-policy', 'same-origin');
  return { nonce, ...speechOf(request) };
}

/** The language of the page that answers a request, and the one that its address asks for. */
export function speechOf(request: FastifyRequest): { language: Language; locale: Language | undefined } {
  const locale = readLocale(request);
  return { language: chooseLanguage(locale, request.headers['accept-language']), locale };
}

export function readLocale(request: FastifyRequest): Language | undefined {
  return askedLanguage(readText(request.query, 'locale'));
}

/** A member of a form or query that was sent once, as text that a database can hold. */
export function readText(form: unknown, name: string): string | undefined {
  const value = (form as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' && !findTextFault(value) ? value : undefined;
}

/** Whom a try is counted for, and where the audit log finds it. */
export function sourceOf(request: FastifyRequest): TrySource {
  return { address: request.ip, requestId: request.id };
}
