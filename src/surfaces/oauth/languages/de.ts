import type { Words } from './en.ts';

export const de: Words = {
  title: (client) => `${client} verbinden?`,
  unnamed: 'Assistenten',
  nameUnchecked: 'Diesen Namen gibt sich das Programm selbst. Niemand hat ihn geprüft.',
  answersGoTo: 'Ihre Antwort geht an',
  local: (host) => `Ein Programm auf diesem Computer (${host})`,
  app: (scheme) => `Die App, die ${scheme} öffnet`,
  may: 'Es wird dürfen',
  scopes: {
    catalog: 'Produkte, Preise, Produktarten, Steuern und Rabatte sehen und ändern',
    payment_links: 'Zahlungslinks erstellen',
  },
  mayNot: 'Es sieht keine Bestellungen, Zahlungen, Kunden, Schlüssel oder Wallets und kann kein Geld bewegen.',
  merchant: 'Für',
  data: 'Mit',
  live: 'Echten Daten',
  test: 'Testdaten',
  signedInAs: (email) =>
    `Sie sind als ${email} angemeldet. Die Verbindung lässt sich jederzeit in Ihrem Konto trennen.`,
  allow: 'Erlauben',
  deny: 'Ablehnen',
  noMerchant: 'Nur Inhaber und Manager eines aktiven Händlers können einen Assistenten verbinden.',
  over: 'Diese Anfrage ist vorbei',
  overText: 'Es hat zu lange gedauert, oder sie wurde schon beantwortet. Beginnen Sie im Assistenten von vorn.',
  wrong: 'Diese Anfrage lässt sich nicht beantworten',
  wrongText: 'Das Programm, das Sie hierher geschickt hat, hat falsch gefragt. Es wurde nichts verbunden.',
};
