import type { ComponentChildren, JSX, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { readStyle } from './assets.ts';
import { dark, light, type Theme } from './colours.ts';
import { directionOf } from './direction.ts';
import { Icon } from './icons.tsx';
import { dictionaryOf, type Language, languageNames, languages } from './language.ts';
import { colourScheme, themeStyle } from './theme-style.ts';

const baseStyle = readStyle('./base.css', import.meta.url);

/** A page for people. Everything it needs is in the one answer; `pageHeaders` go with it, made with the same nonce. */
export interface Page {
  title: string;
  language: Language;
  nonce: string;
  theme?: Theme;
  /** `#rrggbb` of the merchant; our own when left out. */
  accent?: string | null;
  /** Puts the strip on top that cannot be overlooked. */
  testMode?: boolean;
  /** A name for the style sheets: `checkout`, `receipt`. */
  kind?: string;
  /** Style sheets after the base one, read with `readStyle`. */
  styles?: readonly string[];
  /** A script, read with `readAsset`; runs at the end of the body. */
  script?: string | undefined;
  /** More for the head: Open Graph tags, a refresh. */
  head?: ComponentChildren;
  /** Outside `<main>`, in front of it. */
  before?: ComponentChildren;
  children: ComponentChildren;
}

export function renderPage(page: Page): string {
  return `<!doctype html>${renderToString(<Document {...page} />)}`;
}

function Document(page: Page): VNode {
  const { language, nonce, theme = 'auto', kind } = page;
  const words = dictionaryOf(language);
  const style = [themeStyle(theme, page.accent), baseStyle, ...(page.styles ?? [])].join('');
  return (
    <html lang={language} dir={directionOf(language)}>
      <head>
        <meta charset="utf-8" />
        <title>{page.title}</title>
        <meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover" />
        <meta name="color-scheme" content={colourScheme(theme)} />
        <meta name="theme-color" content={theme === 'dark' ? dark.page : light.page} />
        <meta name="robots" content="noindex" />
        <meta name="format-detection" content="telephone=no" />
        <link rel="icon" href="data:," />
        {page.head}
        <style nonce={nonce} {...raw(style)} />
      </head>
      <body class={kind}>
        <a class="skip" href="#main">
          {words.skip}
        </a>
        {page.testMode && (
          <aside class="strip" aria-label={words.testLabel}>
            <strong>{words.testLabel}.</strong> {words.testNotice}
          </aside>
        )}
        {page.before}
        <main id="main">{page.children}</main>
        <p id="live" class="unseen" role="status" />
        {page.script && <script nonce={nonce} {...raw(page.script)} />}
      </body>
    </html>
  );
}

/** Text that goes out as it is: style sheets, scripts, JSON and SVG of our own. Never anything that was typed in. */
export function raw(html: string): { dangerouslySetInnerHTML: { __html: string } } {
  return { dangerouslySetInnerHTML: { __html: html } };
}

/**
 * A menu of languages that works without a script: browsers open and close a popover by themselves, Escape included.
 * @param kept other parameters of the address
 */
export function LanguageMenu({ language, kept = {} }: LanguageMenuProps): JSX.Element {
  const words = dictionaryOf(language);
  return (
    <div class="languages">
      <button type="button" popovertarget="languages">
        <Icon name="globe" />
        <span class="unseen">{words.language}: </span>
        {languageNames[language]}
      </button>
      <form method="get" id="languages" popover="auto">
        {Object.entries(kept).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {languages.map((one) => (
          <button
            type="submit"
            key={one}
            name="locale"
            value={one}
            lang={one}
            aria-current={one === language ? 'true' : undefined}
          >
            {languageNames[one]}
          </button>
        ))}
      </form>
    </div>
  );
}

interface LanguageMenuProps {
  language: Language;
  kept?: Readonly<Record<string, string>>;
}
