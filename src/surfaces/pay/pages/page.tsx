import type { ComponentChildren } from 'preact';
import { render } from 'preact-render-to-string';
import { readStyle } from '../../pages/assets.ts';
import type { Theme } from '../../pages/colours.ts';
import { colourScheme, themeStyle } from '../../pages/theme-style.ts';
import { type Locale, locales } from './languages.ts';

const style = readStyle('./pay.css', import.meta.url);

export interface PageOptions {
  readonly nonce: string;
  readonly locale: Locale;
}

interface DocumentOptions extends PageOptions {
  readonly title: string;
  readonly theme: Theme;
  readonly accent: string | null;
  readonly livemode: boolean;
  /** Only the card, for a page in a frame. */
  readonly isEmbedded?: boolean;
  /** Seconds between reloads where no script runs. */
  readonly refreshSeconds?: number | undefined;
  readonly head?: ComponentChildren;
  /** Runs as it stands; the nonce lets it. */
  readonly script?: string | undefined;
  /** For the script, as JSON. */
  readonly boot?: string | undefined;
}

/** A whole page for payers: one answer that holds its style and script and loads nothing. */
export function renderDocument(options: DocumentOptions, main: ComponentChildren): string {
  const {
    nonce,
    locale,
    title,
    theme,
    accent,
    livemode,
    isEmbedded = false,
    refreshSeconds,
    head,
    script,
    boot,
  } = options;
  return `<!doctype html>${render(
    <html lang={locale.tag} dir={locale.direction} class={isEmbedded ? 'embedded' : undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content={colourScheme(theme)} />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        {head}
        {refreshSeconds !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={String(refreshSeconds)} />
          </noscript>
        )}
        <style nonce={nonce} dangerouslySetInnerHTML={{ __html: themeStyle(theme, accent) + style }} />
      </head>
      <body>
        {!livemode && <p class="test">{locale.words.test}</p>}
        {main}
        <p class="spoken" aria-live="polite" id="spoken" />
        {boot !== undefined && (
          <script type="application/json" id="boot" nonce={nonce} dangerouslySetInnerHTML={{ __html: boot }} />
        )}
        {script !== undefined && <script nonce={nonce} dangerouslySetInnerHTML={{ __html: script }} />}
      </body>
    </html>,
  )}`;
}

/** The shop's mark: its logo, or its first letter on its colour. */
export function Brand({ name, logoUrl }: { name: string; logoUrl: string | null }) {
  return (
    <p class="brand">
      {logoUrl ? (
        <img src={logoUrl} alt="" width="36" height="36" referrerpolicy="no-referrer" />
      ) : (
        <span class="letter" aria-hidden="true">
          {[...name][0]?.toUpperCase()}
        </span>
      )}
      {name}
    </p>
  );
}

/** A plain form, so that it works without a script. */
export function LanguageChoice({ locale, keep = {} }: { locale: Locale; keep?: Record<string, string> }) {
  return (
    <form class="language" method="get">
      {Object.entries(keep).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <label>
        <span class="spoken">{locale.words.language}</span>
        <select name="locale">
          {locales.map(({ tag, name }) => (
            <option value={tag} lang={tag} selected={tag === locale.tag}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">{locale.words.change}</button>
    </form>
  );
}

const paths = {
  lock: 'M5 9V6a3 3 0 0 1 6 0v3M3.5 9h9v6h-9z',
  tick: 'M5 13l5 5 9-11',
  clock: 'M12 6v6l4 3',
  warn: 'M12 6v8m0 3v.5',
} as const;

export function Icon({ name, size = 16 }: { name: keyof typeof paths; size?: number }) {
  const box = name === 'lock' ? '0 0 16 16' : '0 0 24 24';
  return (
    <svg class={`icon ${name}`} width={size} height={size} viewBox={box} aria-hidden="true">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
