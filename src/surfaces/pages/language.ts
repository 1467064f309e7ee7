import { keepTextsApart } from './direction.ts';
import { ar } from './languages/ar.ts';
import { de } from './languages/de.ts';
import { type Dictionary, en } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { ja } from './languages/ja.ts';
import { ptBr } from './languages/pt-br.ts';

/**
 * The languages that pages speak, by their BCP 47 tags and in the order of the menu: how each calls itself. Another one
 * begins here; the compiler then names every table of words that lacks it.
 */
export const languageNames = {
  en: 'English',
  es: 'Español',
  de: 'Deutsch',
  fr: 'Français',
  'pt-BR': 'Português (Brasil)',
  ja: '日本語',
  ar: 'العربية',
} as const;
export type Language = keyof typeof languageNames;
export const languages = Object.keys(languageNames) as Language[];

const dictionaries: Readonly<Record<Language, Dictionary>> = keepTextsApart({ en, es, de, fr, 'pt-BR': ptBr, ja, ar });

export function dictionaryOf(language: Language): Dictionary {
  return dictionaries[language];
}

/** The language of a page: what `?locale=` asks for, then what the browser prefers (RFC 9110, 12.5.4), then English. */
export function chooseLanguage(asked: unknown, acceptLanguage: string | undefined): Language {
  return askedLanguage(asked) ?? preferred(acceptLanguage ?? '') ?? 'en';
}

/** An address of ours without a query, in the language that `?locale=` asked for: who chose one goes on in it. */
export function inLanguage(address: string, asked: unknown): string {
  const language = askedLanguage(asked);
  return language ? `${address}?locale=${language}` : address;
}

/** The language that `?locale=` asks for, where it is one that pages speak. */
export function askedLanguage(asked: unknown): Language | undefined {
  return typeof asked === 'string' ? findLanguage(asked) : undefined;
}

function preferred(header: string): Language | undefined {
  return header
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(/\s*;\s*/);
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return { language: findLanguage(tag), quality: quality ? Number(quality.slice(2)) : 1 };
    })
    .filter(({ language, quality }) => language !== undefined && quality > 0)
    .sort((a, b) => b.quality - a.quality)[0]?.language;
}

// `de-AT` and `pt` mean `de` and `pt-BR`: better a neighbour of one's language than English.
function findLanguage(tag: string): Language | undefined {
  const [primary] = tag.toLowerCase().replace('_', '-').split('-');
  return languages.find((language) => language.toLowerCase().split('-')[0] === primary);
}

/** "12 minutes", with Latin digits as all figures of the pages. */
export function lengthText(
  count: number,
  unit: 'minute' | 'day' | 'week' | 'month' | 'year',
  language: Language,
): string {
  const format = { style: 'unit', unit, unitDisplay: 'long', numberingSystem: 'latn' } as const;
  return new Intl.NumberFormat(language, format).format(count);
}
