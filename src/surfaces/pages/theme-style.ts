import { toAccent } from './accent.ts';
import { dark, light, type Palette, type Theme } from './colours.ts';

const made = new Map<string, string>();
const keptCount = 500;

/** The style rules that give a page its theme and a merchant's colour. @param accent `#rrggbb`, else the default. */
export function themeStyle(theme: Theme, accent?: string | null): string {
  const key = `${theme} ${accent ?? ''}`;
  let style = made.get(key);
  if (style === undefined) {
    style = makeStyle(theme, accent);
    // Strangers cannot choose accents, but there may be many merchants.
    if (made.size >= keptCount) made.clear();
    made.set(key, style);
  }
  return style;
}

/** What the browser itself may draw in; `only` keeps it from inverting the page by itself. */
export function colourScheme(theme: Theme): string {
  return theme === 'auto' ? 'light dark' : `only ${theme}`;
}

function makeStyle(theme: Theme, accent: string | null | undefined): string {
  const base = `:root{color-scheme:${colourScheme(theme)};${variables(theme === 'dark' ? dark : light, accent)}}`;
  if (theme !== 'auto') return base;
  return `${base}@media(prefers-color-scheme:dark){:root{${variables(dark, accent)}}}`;
}

function variables(palette: Palette, accent: string | null | undefined): string {
  const { fill, ink, edge, text } = toAccent(accent, palette);
  const all = { ...palette, fill, ink, edge, accent: text };
  return Object.entries(all)
    .map(([name, value]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${value}`)
    .join(';');
}
