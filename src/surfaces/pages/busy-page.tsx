import { renderPage } from './document.tsx';
import { newNonce, pageHeaders } from './headers.ts';
import { dictionaryOf, type Language } from './language.ts';
import { ResultMark } from './parts.tsx';

const againSeconds = 5;

export interface KeptPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: Buffer;
}

const kept = new Map<Language, KeptPage>();

/**
 * What is shown while too many pages are opened from one address; it comes again by itself. Made once a language, since
 * there is nothing to do it for but a flood; it says nothing of anybody, so that its nonce may be known.
 */
export function busyPage(language: Language): KeptPage {
  let page = kept.get(language);
  if (!page) {
    page = makePage(language);
    kept.set(language, page);
  }
  return page;
}

function makePage(language: Language): KeptPage {
  const words = dictionaryOf(language).busy;
  const nonce = newNonce();
  const html = renderPage({
    title: words.title,
    language,
    nonce,
    head: <meta http-equiv="refresh" content={String(againSeconds)} />,
    children: (
      <section class="card result">
        <ResultMark tone="warn" />
        <h1>{words.title}</h1>
        <p>{words.text}</p>
      </section>
    ),
  });
  // As bytes, so that nobody compresses it anew each time.
  return { headers: { ...pageHeaders({ nonce }), vary: 'accept, accept-language' }, html: Buffer.from(html) };
}
