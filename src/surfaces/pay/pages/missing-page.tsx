import { type PageOptions, renderDocument } from './page.tsx';

/** For an address that leads to nothing, and does not say whether it ever did. */
export function renderMissingPage({ nonce, locale }: PageOptions): string {
  const { words } = locale;
  return renderDocument(
    { nonce, locale, title: words.missing, theme: 'auto', accent: null, livemode: true },
    <main class="single">
      <section class="card">
        <h1 id="title">{words.missing}</h1>
        <p>{words.missingText}</p>
      </section>
    </main>,
  );
}
