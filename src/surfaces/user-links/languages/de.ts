import type { Words } from './en.ts';

export const de: Words = {
  roles: { owner: 'Inhaber', manager: 'Leitung', cashier: 'Kasse', accountant: 'Buchhaltung' },
  invited: (merchant) => `Mitarbeiten bei ${merchant}`,
  invitedText: (merchant, role) => `${merchant} lädt Sie ein. Ihre Rolle: ${role}.`,
  choosePassword: 'Wählen Sie ein Passwort für Ihr Konto.',
  keepPassword: 'Sie haben schon ein Konto und behalten dessen Passwort.',
  accept: 'Annehmen',
  accepted: 'Sie sind dabei',
  acceptedText: (merchant) => `Sie können sich jetzt anmelden und für ${merchant} arbeiten.`,
  email: 'E-Mail',
  password: 'Neues Passwort',
  repeat: 'Noch einmal dasselbe',
  rule: (least) => `Mindestens ${least} Zeichen. Mehrere Wörter sind leicht zu merken und schwer zu erraten.`,
  faults: {
    short: (least) => `Es braucht mindestens ${least} Zeichen.`,
    long: (most) => `Es darf höchstens ${most} Zeichen haben.`,
    guessable: 'Es ist zu leicht zu erraten.',
    differs: 'Das ist nicht dasselbe Passwort.',
    email: 'Geben Sie eine E-Mail-Adresse ein, etwa ada@example.com.',
  },
  forgotten: 'Passwort vergessen?',
  forgottenText:
    'Geben Sie die Adresse ein, mit der Sie sich anmelden. Wir schicken Ihnen einen Link für ein neues Passwort.',
  noMails:
    'Dieser Dienst verschickt keine E-Mails. Bitten Sie, wer ihn betreibt, um einen Link für ein neues Passwort.',
  send: 'Link schicken',
  sent: 'Sehen Sie in Ihr Postfach',
  sentText: (email) =>
    `Wenn es für ${email} hier ein Konto gibt, ist ein Link unterwegs. Er gilt eine Stunde. Kommt keiner, sehen Sie im Spam-Ordner nach oder prüfen Sie die Adresse.`,
  tooMany: 'Es wurden zu viele Links angefordert. Warten Sie eine Weile und versuchen Sie es noch einmal.',
  newPassword: 'Neues Passwort setzen',
  newPasswordText: 'Sie werden überall abgemeldet, und Ihre Geräte müssen sich neu anmelden.',
  save: 'Passwort speichern',
  saved: 'Ihr neues Passwort gilt',
  savedText: 'Sie wurden überall abgemeldet. Melden Sie sich mit dem neuen Passwort an.',
  signIn: 'Anmelden',
  over: 'Dieser Link gilt nicht mehr',
  overText: 'Er wurde benutzt, ersetzt oder ist zu alt. Bitten Sie um einen neuen.',
  failed: 'Das hat nicht geklappt',
  foreign: 'Das Formular kam nicht von dieser Seite. Öffnen Sie den Link noch einmal.',
  letters: {
    invitation: {
      subject: (merchant) => `${merchant} lädt Sie ein`,
      text: (merchant, role) =>
        `${merchant} lädt Sie zur Mitarbeit ein. Ihre Rolle: ${role}. Nehmen Sie innerhalb von sieben Tagen an:\n\n{link}\n\nDer Link ist nur für Sie. Wenn Sie ihn nicht erwartet haben, tun Sie nichts.\n`,
    },
    password: {
      subject: 'Neues Passwort setzen',
      text: 'Mit diesem Link setzen Sie ein neues Passwort:\n\n{link}\n\nEr gilt einmal und nicht lange. Wenn Sie ihn nicht angefordert haben, tun Sie nichts: Ihr Passwort bleibt, wie es ist.\n',
    },
    changed: {
      subject: 'Ihr Passwort wurde geändert',
      text: 'Ihr Passwort wurde soeben geändert, und Sie wurden überall abgemeldet. Wenn Sie das nicht waren, fordern Sie sofort ein neues Passwort an und sagen Sie es, wer diesen Dienst betreibt.\n',
    },
  },
};
