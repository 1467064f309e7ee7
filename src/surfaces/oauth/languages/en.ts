/** Every sentence of the pages that connect an assistant, beside those that all pages share; other languages have the same. */
export const en = {
  title: (client: string) => `Connect ${client}?`,
  unnamed: 'an assistant',
  nameUnchecked: 'It gives itself this name. Nobody has checked it.',
  answersGoTo: 'Your answer goes to',
  local: (host: string) => `A program on this computer (${host})`,
  app: (scheme: string) => `The app that opens ${scheme}`,
  may: 'It will be able to',
  scopes: {
    catalog: 'See and change products, prices, product types, taxes and discounts',
    payment_links: 'Make payment links',
  },
  mayNot: 'It cannot see orders, payments, customers, keys or wallets, and it cannot move money.',
  merchant: 'For',
  data: 'With',
  live: 'Live data',
  test: 'Test data',
  signedInAs: (email: string) => `You are signed in as ${email}. You can disconnect it in your account at any time.`,
  allow: 'Allow',
  deny: 'Deny',
  noMerchant: 'Only an owner or a manager of an active merchant can connect an assistant.',
  over: 'This request is over',
  overText: 'It took too long, or it was answered already. Start again in your assistant.',
  wrong: 'This request cannot be answered',
  wrongText: 'The program that sent you here asked in a wrong way. Nothing was connected.',
};

export type Words = typeof en;
