import { renderPage } from './document.tsx';
import { newNonce, pageHeaders } from './headers.ts';
import { dictionaryOf, type Language } from './language.ts';
import { LinkButton, ResultMark } from './parts.tsx';

interface KeptPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: Buffer;
}

const kept = new Map<Language, KeptPage>();

/**
 * What is shown while too many pages are opened from one address. Made once a language, since a flood is what it is for; it
 * says nothing of anybody, so that its nonce may be known.
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
  const { busy: words, checkout } = dictionaryOf(language);
  const nonce = newNonce();
  const html = renderPage({
    title: words.title,
    language,
    nonce,
    children: (
      <section class="card result">
        <ResultMark tone="warn" />
        <h1>{words.title}</h1>
        <p>{words.text}</p>
        <div class="stack">
          <LinkButton accent href="">
            {checkout.tryAgain}
          </LinkButton>
        </div>
      </section>
    ),
  });
  // As bytes, so that nobody compresses it anew each time.
  return { headers: { ...pageHeaders({ nonce }), vary: 'accept, accept-language' }, html: Buffer.from(html) };
}
