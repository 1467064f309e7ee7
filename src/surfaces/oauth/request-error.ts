import type { KoaContextWithOIDC } from 'oidc-provider';
import { newNonce, pageHeaders } from '../pages/headers.ts';
import { chooseLanguage } from '../pages/language.ts';
import { renderNoticePage } from './consent-page.tsx';
import { wordsOf } from './words.ts';

/**
 * An authorization request that is wrong in a way that must not be told to where it points (RFC 6749, 4.1.2.1). A person
 * sees a page with the reason in small, for whoever wrote the client; programs get JSON.
 */
export function showRequestError(
  ctx: KoaContextWithOIDC,
  out: { error: string; error_description?: string | undefined },
): void {
  if (ctx.accepts(['html', 'json']) !== 'html') {
    ctx.body = out;
    return;
  }
  const nonce = newNonce();
  ctx.set(pageHeaders({ nonce }));
  const language = chooseLanguage(undefined, ctx.get('accept-language'));
  const words = wordsOf(language);
  const isOver = out.error === 'invalid_request' && ctx.oidc?.route === 'resume';
  const detail = [out.error, out.error_description].filter(Boolean).join(': ');
  ctx.body = isOver
    ? renderNoticePage(words.over, words.overText, undefined, { language, nonce })
    : renderNoticePage(words.wrong, words.wrongText, detail, { language, nonce });
}
