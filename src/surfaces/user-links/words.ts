import type { Letter } from '../../flows/queue-mail.ts';
import type { Role } from '../../model/user.ts';
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

export function invitationLetter(language: Language, merchant: string, role: Role): Letter {
  const { letters, roles } = wordsOf(language);
  return {
    subject: letters.invitation.subject(merchant),
    // A name is no place for the link.
    text: letters.invitation.text(merchant.replace('{link}', ''), roles[role]),
  };
}

export function passwordLetter(language: Language): Letter {
  return wordsOf(language).letters.password;
}

export function passwordChangedLetter(language: Language): Letter {
  return wordsOf(language).letters.changed;
}
