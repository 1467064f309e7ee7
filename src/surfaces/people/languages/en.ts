/** Every sentence of the pages for merchants' staff beside those that all pages share; other languages have the same. */
export const en = {
  signIn: 'Sign in',
  email: 'E-mail address',
  password: 'Password',
  signOut: 'Sign out',
  missing: 'Type your e-mail address and your password.',
  wrong: 'The e-mail address or the password is wrong.',
  /** `wait` reads "12 minutes". */
  locked: (wait: string) => `This account is locked after too many wrong passwords. Try again in ${wait}.`,
  tooMany: (wait: string) => `There were too many tries. Try again in ${wait}.`,
  failed: 'That did not work',
  foreign: 'This was not sent from a page of this service. Open the page again and repeat it.',
  unsafe: 'Signing in needs a secure connection (https). Ask whoever runs this service.',
  again: 'Go back',
  account: 'Your account',
  merchants: 'Where you work',
  noMerchants: 'You have no place at a merchant.',
  roles: { owner: 'Owner', manager: 'Manager', cashier: 'Cashier', accountant: 'Accountant' },
  states: { pending: 'Not active yet', active: 'Active', suspended: 'Suspended' },
  signIns: 'Your sign-ins',
  api: 'Device or program',
  browser: 'Browser',
  thisOne: 'This one',
  lastUsed: (time: string) => `Last used ${time}`,
  end: 'End',
  /** For those who hear the button without seeing the line that it stands in. */
  endOf: (device: string) => `End the sign-in of ${device}`,
  everywhere: 'Sign out everywhere',
  everywhereText:
    'All your sign-ins end, this one too, and your tills and other devices stop working until they sign in again.',
};

export type Words = typeof en;
