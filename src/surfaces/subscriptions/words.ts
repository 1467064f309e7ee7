import type { SubscriptionRow } from '../../model/subscription.ts';
import { keepTextsApart } from '../pages/direction.ts';
import { type Language, lengthText } from '../pages/language.ts';
import { ar } from './languages/ar.ts';
import { de } from './languages/de.ts';
import { en, type Words } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { ja } from './languages/ja.ts';
import { ptBr } from './languages/pt-br.ts';

const words: Readonly<Record<Language, Words>> = keepTextsApart({ en, es, de, fr, 'pt-BR': ptBr, ja, ar });

export function wordsOf(language: Language): Words {
  return words[language];
}

/** "a month", "every 3 months". */
export function intervalText(
  row: Pick<SubscriptionRow, 'interval_unit' | 'interval_count'>,
  language: Language,
): string {
  const { interval_unit: unit, interval_count: count } = row;
  const { per, every } = wordsOf(language);
  return count === 1 ? per[unit] : every(lengthText(count, unit, language));
}

export function dayText(moment: Date, timeZone: string, language: Language): string {
  const format = { dateStyle: 'long', timeZone, numberingSystem: 'latn', calendar: 'gregory' } as const;
  return new Intl.DateTimeFormat(language, format).format(moment);
}
