import type { ComponentChildren } from 'preact';
import { readStyle } from '../../pages/assets.ts';
import { LanguageMenu, renderPage } from '../../pages/document.tsx';
import type { Language } from '../../pages/language.ts';
import { MerchantMark } from '../../pages/parts.tsx';

const style = readStyle('./people.css', import.meta.url);

/** What every page for merchants' staff is shown with. */
export interface Setting {
  readonly language: Language;
  /** The same where `?locale=` asked for it: then links and forms lead on in it. */
  readonly locale?: Language | undefined;
  readonly nonce: string;
}

interface PeoplePage extends Setting {
  title: string;
  /** Parameters of the address that stay when another language is chosen; no menu when left out. */
  kept?: Readonly<Record<string, string>>;
  /** Style sheets of the page's own. */
  styles?: readonly string[];
  children: ComponentChildren;
}

export function renderPeoplePage({ title, language, nonce, kept, styles = [], children }: PeoplePage): string {
  return renderPage({
    title: `${title} – Satline`,
    language,
    nonce,
    kind: 'people',
    styles: [style, ...styles],
    children: (
      <>
        <MerchantMark name="Satline" logoUrl={null} />
        {children}
        {kept && (
          <footer class="foot">
            <LanguageMenu language={language} kept={kept} />
          </footer>
        )}
      </>
    ),
  });
}
