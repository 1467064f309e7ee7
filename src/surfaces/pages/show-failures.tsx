import type { FastifyError, FastifyInstance } from 'fastify';
import type { AppError } from '../../kernel/errors.ts';
import { prefersJson } from '../http/accept.ts';
import { toAppError } from '../http/error-body.ts';
import { renderPage } from './document.tsx';
import { newNonce, pageHeaders } from './headers.ts';
import { chooseLanguage, dictionaryOf, inLanguage, type Language } from './language.ts';
import { TryAgain } from './parts.tsx';

/** Without a script a page that was lost looks again by itself, as the one that waits for a payment does. */
const refreshSeconds = 10;

/** A browser that opened a page of `pages` shows a page as well when it fails; programs get the error of the API. */
export function showFailures(pages: FastifyInstance): void {
  pages.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = toAppError(error);
    const { accept = '', 'accept-language': languages } = request.headers;
    const { visit, isDeed } = request.routeOptions.config;
    const isJsonAddress = request.url.split('?', 1)[0]!.endsWith('.json');
    // HTML by name: programs that take anything have always got the error here.
    const isBrowser = accept.includes('text/html') && !prefersJson(accept);
    if (visit !== 'page' || isJsonAddress || !isBrowser) throw failure;
    request.failure = failure;
    if (failure.retryAfterSeconds) reply.header('retry-after', String(failure.retryAfterSeconds));
    const nonce = newNonce();
    const language = chooseLanguage((request.query as { locale?: unknown }).locale, languages);
    const again = isDeed ? inLanguage('.', language) : '';
    return reply
      .code(failure.status)
      .headers({ ...pageHeaders({ nonce }), vary: 'accept, accept-language' })
      .send(renderFailurePage(failure, { nonce, language, again, looksAgain: request.method === 'GET' }));
  });
}

interface FailurePage {
  nonce: string;
  language: Language;
  /** Where one tries again, seen from the address that was asked for. */
  again: string;
  looksAgain: boolean;
}

function renderFailurePage(failure: AppError, { nonce, language, again, looksAgain }: FailurePage): string {
  const { failed: words, checkout } = dictionaryOf(language);
  const isOurs = failure.status >= 500;
  return renderPage({
    title: words.title,
    language,
    nonce,
    head: isOurs && looksAgain && (
      <noscript>
        <meta http-equiv="refresh" content={`${refreshSeconds}`} />
      </noscript>
    ),
    children: (
      <TryAgain tone="bad" title={words.title} label={checkout.tryAgain} again={again}>
        {isOurs ? (
          <p>{words.text}</p>
        ) : (
          <p lang="en" dir="ltr">
            {failure.message}
          </p>
        )}
      </TryAgain>
    ),
  });
}
