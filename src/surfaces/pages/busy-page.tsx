import { renderPage } from './document.tsx';
import { newNonce, pageHeaders } from './headers.ts';
import { dictionaryOf, type Language } from './language.ts';
import { TryAgain } from './parts.tsx';

interface KeptPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: Buffer;
}

const kept = new Map<string, KeptPage>();

/**
 * What is shown while too many pages are opened from one address. Made once, since a flood is what it is for; it says
 * nothing of anybody, so that its nonce may be known.
 * @param again where one tries again, seen from the address that was asked for
 */
export function busyPage(language: Language, again = ''): KeptPage {
  const name = `${language} ${again}`;
  let page = kept.get(name);
  if (!page) {
    page = makePage(language, again);
    kept.set(name, page);
  }
  return page;
}

function makePage(language: Language, again: string): KeptPage {
  const { busy: words, checkout } = dictionaryOf(language);
  const nonce = newNonce();
  const html = renderPage({
    title: words.title,
    language,
    nonce,
    children: (
      <TryAgain tone="warn" title={words.title} label={checkout.tryAgain} again={again}>
        <p>{words.text}</p>
      </TryAgain>
    ),
  });
  // As bytes, so that nobody compresses it anew each time.
  return { headers: { ...pageHeaders({ nonce }), vary: 'accept, accept-language' }, html: Buffer.from(html) };
}
