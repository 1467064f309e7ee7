import type { Words } from './en.ts';

export const de: Words = {
  signIn: 'Anmelden',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  signOut: 'Abmelden',
  missing: 'Geben Sie Ihre E-Mail-Adresse und Ihr Passwort ein.',
  wrong: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
  locked: (wait) =>
    `Dieses Konto ist nach zu vielen falschen Passwörtern gesperrt. Versuchen Sie es in ${wait} wieder.`,
  tooMany: (wait) => `Es waren zu viele Versuche. Versuchen Sie es in ${wait} wieder.`,
  failed: 'Das hat nicht geklappt',
  foreign: 'Das kam nicht von einer Seite dieses Dienstes. Öffnen Sie die Seite neu und wiederholen Sie es.',
  unsafe: 'Anmelden geht nur über eine sichere Verbindung (https). Fragen Sie, wer diesen Dienst betreibt.',
  again: 'Zurück',
  account: 'Ihr Konto',
  merchants: 'Wo Sie arbeiten',
  noMerchants: 'Sie gehören zu keinem Händler.',
  roles: { owner: 'Inhaber', manager: 'Leitung', cashier: 'Kasse', accountant: 'Buchhaltung' },
  states: { pending: 'Noch nicht aktiv', active: 'Aktiv', suspended: 'Ausgesetzt' },
  signIns: 'Ihre Anmeldungen',
  api: 'Gerät oder Programm',
  browser: 'Browser',
  thisOne: 'Diese hier',
  lastUsed: (time) => `Zuletzt benutzt: ${time}`,
  end: 'Beenden',
  endOf: (device) => `Anmeldung von ${device} beenden`,
  everywhere: 'Überall abmelden',
  everywhereText:
    'Alle Ihre Anmeldungen enden, auch diese, und Ihre Kassen und anderen Geräte gehen erst nach neuer Anmeldung wieder.',
};
