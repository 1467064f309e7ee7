import type { Words } from './en.ts';

export const fr: Words = {
  roles: { owner: 'propriétaire', manager: 'responsable', cashier: 'caissier', accountant: 'comptable' },
  invited: (merchant) => `Travailler avec ${merchant}`,
  invitedText: (merchant, role) => `${merchant} vous invite. Votre rôle : ${role}.`,
  choosePassword: 'Choisissez un mot de passe pour votre compte.',
  keepPassword: 'Vous avez déjà un compte et gardez son mot de passe.',
  accept: 'Accepter',
  accepted: 'C’est fait',
  acceptedText: (merchant) => `Vous pouvez maintenant vous connecter et travailler pour ${merchant}.`,
  email: 'Adresse e-mail',
  password: 'Nouveau mot de passe',
  repeat: 'Encore une fois le même',
  rule: (least) => `Au moins ${least} caractères. Plusieurs mots sont faciles à retenir et difficiles à deviner.`,
  faults: {
    short: (least) => `Il faut au moins ${least} caractères.`,
    long: (most) => `Il faut au plus ${most} caractères.`,
    guessable: 'Il est trop facile à deviner.',
    differs: 'Ce n’est pas le même mot de passe.',
    email: 'Saisissez une adresse e-mail, par exemple ada@example.com.',
  },
  forgotten: 'Mot de passe oublié ?',
  forgottenText:
    'Saisissez l’adresse avec laquelle vous vous connectez ; nous vous envoyons un lien pour un nouveau mot de passe.',
  noMails:
    'Ce service n’envoie pas d’e-mails. Demandez à la personne qui le gère un lien pour un nouveau mot de passe.',
  send: 'Envoyer un lien',
  sent: 'Regardez votre messagerie',
  sentText: (email) =>
    `Si ${email} a un compte ici, un lien est en route. Il est valable une heure. S’il n’arrive pas, regardez parmi les indésirables ou vérifiez l’adresse.`,
  tooMany: 'Trop de liens ont été demandés. Attendez un moment, puis réessayez.',
  newPassword: 'Choisir un nouveau mot de passe',
  newPasswordText: 'Vous serez déconnecté partout, et vos appareils devront se connecter à nouveau.',
  save: 'Enregistrer le mot de passe',
  saved: 'Votre nouveau mot de passe est en place',
  savedText: 'Vous avez été déconnecté partout. Connectez-vous avec le nouveau mot de passe.',
  signIn: 'Se connecter',
  over: 'Ce lien ne fonctionne plus',
  overText: 'Il a été utilisé, remplacé, ou il est trop ancien. Demandez-en un nouveau.',
  failed: 'Cela n’a pas fonctionné',
  foreign: 'Le formulaire ne venait pas de cette page. Ouvrez le lien à nouveau.',
  letters: {
    invitation: {
      subject: (merchant) => `${merchant} vous invite`,
      text: (merchant, role) =>
        `${merchant} vous invite à le rejoindre. Votre rôle : ${role}. Acceptez dans les sept jours :\n\n{link}\n\nLe lien n’est que pour vous. Si vous ne l’attendiez pas, ne faites rien.\n`,
    },
    password: {
      subject: 'Choisir un nouveau mot de passe',
      text: 'Choisissez un nouveau mot de passe avec ce lien :\n\n{link}\n\nIl sert une fois, et peu de temps. Si vous ne l’avez pas demandé, ne faites rien : votre mot de passe ne change pas.\n',
    },
    changed: {
      subject: 'Votre mot de passe a changé',
      text: 'Votre mot de passe vient d’être changé, et vous avez été déconnecté partout. Si ce n’était pas vous, demandez tout de suite un nouveau mot de passe et prévenez la personne qui gère ce service.\n',
    },
  },
};
