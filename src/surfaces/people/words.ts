import type { Letter } from '../../flows/queue-mail.ts';
import { keepTextsApart } from '../pages/direction.ts';
import type { Language } from '../pages/language.ts';
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

export function secondFactorOnLetter(language: Language): Letter {
  return wordsOf(language).letters.factorOn;
}

export function secondFactorOffLetter(language: Language): Letter {
  return wordsOf(language).letters.factorOff;
}
