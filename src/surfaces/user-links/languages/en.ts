/** Every sentence of invitations and new passwords beside those that all pages share; the other languages have the same members. */
export const en = {
  roles: { owner: 'owner', manager: 'manager', cashier: 'cashier', accountant: 'accountant' },
  invited: (merchant: string) => `Work with ${merchant}`,
  invitedText: (merchant: string, role: string) => `${merchant} invites you to join as ${role}.`,
  choosePassword: 'Choose a password for your account.',
  keepPassword: 'You have an account already and keep its password.',
  accept: 'Accept',
  accepted: 'You are in',
  acceptedText: (merchant: string) => `You can sign in now and work for ${merchant}.`,
  email: 'E-mail',
  password: 'New password',
  repeat: 'The same again',
  rule: (least: number) => `At least ${least} characters. Several words are easy to remember and hard to guess.`,
  faults: {
    short: (least: number) => `It must have at least ${least} characters.`,
    long: (most: number) => `It must have at most ${most} characters.`,
    guessable: 'It is too easy to guess.',
    differs: 'This is not the same password.',
    email: 'Enter an e-mail address, such as ada@example.com.',
  },
  forgotten: 'Forgotten your password?',
  forgottenText: 'Enter the address you sign in with, and we send you a link to set a new password.',
  noMails: 'This service sends no e-mails. Ask whoever runs it for a link to set a new password.',
  send: 'Send a link',
  sent: 'Look into your mailbox',
  sentText: (email: string) =>
    `If ${email} has an account here, a link is on its way. It works for an hour. If none comes, look among unwanted mail or check the address.`,
  tooMany: 'Too many links were asked for. Wait a while, then try again.',
  newPassword: 'Set a new password',
  newPasswordText: 'You will be signed out everywhere, and your devices have to sign in again.',
  save: 'Save password',
  saved: 'Your new password is set',
  savedText: 'You were signed out everywhere. Sign in with the new password.',
  signIn: 'Sign in',
  over: 'This link no longer works',
  overText: 'It was used, replaced, or is too old. Ask for a new one.',
  failed: 'That did not work',
  foreign: 'The form was not sent from this page. Open the link again.',
  letters: {
    invitation: {
      subject: (merchant: string) => `${merchant} invites you`,
      text: (merchant: string, role: string) =>
        `${merchant} invites you to join as ${role}. Accept within seven days:\n\n{link}\n\nThe link is for you alone. If you did not expect it, do nothing.\n`,
    },
    password: {
      subject: 'Set a new password',
      text: 'Set a new password with this link:\n\n{link}\n\nIt works once, and not for long. If you did not ask for it, do nothing: your password stays as it is.\n',
    },
    changed: {
      subject: 'Your password was changed',
      text: 'Your password was just changed, and you were signed out everywhere. If it was not you, ask for a new password at once, and tell whoever runs this service.\n',
    },
  },
};

export type Words = typeof en;
