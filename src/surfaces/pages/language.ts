import { keepTextsApart } from './direction.ts';
import { ar } from './languages/ar.ts';
import { de } from './languages/de.ts';
import { type Dictionary, en } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { ja } from './languages/ja.ts';
import { ptBr } from './languages/pt-br.ts';

/** BCP 47 tags of the languages that pages speak. */
export type Language = 'en' | 'es' | 'de' | 'fr' | 'pt-BR' | 'ja' | 'ar';

const dictionaries: Readonly<Record<Language, Dictionary>> = keepTextsApart({ en, es, de, fr, 'pt-BR': ptBr, ja, ar });

/** In the order of the language menu. */
export const languages = Object.keys(dictionaries) as Language[];

/** How a language calls itself. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  es: 'Español',
  de: 'Deutsch',
  fr: 'Français',
  'pt-BR': 'Português (Brasil)',
  ja: '日本語',
  ar: 'العربية',
};

export function dictionaryOf(language: Language): Dictionary {
  return dictionaries[language];
}

/** The language of a page: what `?locale=` asks for, then what the browser prefers (RFC 9110, 12.5.4), then English. */
export function chooseLanguage(asked: unknown, acceptLanguage: string | undefined): Language {
  const wanted = typeof asked === 'string' ? findLanguage(asked) : undefined;
  return wanted ?? preferred(acceptLanguage ?? '') ?? 'en';
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
