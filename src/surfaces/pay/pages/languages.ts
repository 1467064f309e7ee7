import { ar } from './languages/ar.ts';
import { de } from './languages/de.ts';
import { en, type Words } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { ja } from './languages/ja.ts';
import { ptBr } from './languages/pt-br.ts';

/** A language of the pages for payers. */
export interface Locale {
  /** BCP 47. */
  readonly tag: string;
  /** What its speakers call it. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  readonly words: Words;
}

export const locales: readonly Locale[] = [
  { tag: 'en', name: 'English', direction: 'ltr', words: en },
  { tag: 'es', name: 'Español', direction: 'ltr', words: es },
  { tag: 'de', name: 'Deutsch', direction: 'ltr', words: de },
  { tag: 'fr', name: 'Français', direction: 'ltr', words: fr },
  { tag: 'pt-BR', name: 'Português (Brasil)', direction: 'ltr', words: ptBr },
  { tag: 'ja', name: '日本語', direction: 'ltr', words: ja },
  { tag: 'ar', name: 'العربية', direction: 'rtl', words: ar },
];

const find = (tag: string): Locale | undefined => {
  const wanted = tag.trim().toLowerCase();
  const language = wanted.split('-')[0];
  return (
    locales.find((locale) => locale.tag.toLowerCase() === wanted) ??
    locales.find((locale) => locale.tag.split('-')[0] === language)
  );
};

/** The language that was asked for by name, else the first one of `Accept-Language` that we speak, else English. */
export function chooseLocale(asked: unknown, acceptLanguage: string | undefined): Locale {
  const named = typeof asked === 'string' ? find(asked) : undefined;
  if (named) return named;
  const ranked = (acceptLanguage ?? '')
    .split(',')
    .map((range, index) => {
      const [tag = '', quality] = range.split(/;\s*q=/);
      return { tag, weight: quality === undefined ? 1 : Number(quality) || 0, index };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.index - b.index);
  for (const { tag } of ranked) {
    const spoken = find(tag);
    if (spoken) return spoken;
  }
  return locales[0]!;
}

/** Puts names and figures into a sentence: `{}` takes the first, `{2}` the second. */
export function say(sentence: string, first: string, second = ''): string {
  return sentence.replace('{2}', () => second).replace('{}', () => first);
}
