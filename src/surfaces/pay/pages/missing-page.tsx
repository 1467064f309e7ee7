import { renderPage } from '../../pages/document.tsx';
import { dictionaryOf, type Language } from '../../pages/language.ts';
import { ResultMark } from '../../pages/parts.tsx';

/** One page for every address that leads nowhere: it does not say whether something was there once. */
export function renderMissingPage({ nonce, language }: { nonce: string; language: Language }): string {
  const words = dictionaryOf(language).missing;
  return renderPage({
    title: words.title,
    language,
    nonce,
    children: (
      <section class="card result">
        <ResultMark tone="bad" />
        <h1>{words.title}</h1>
        <p>{words.text}</p>
      </section>
    ),
  });
}
