import type { Words } from './en.ts';

export const fr: Words = {
  title: (client) => `Connecter ${client} ?`,
  unnamed: 'un assistant',
  nameUnchecked: 'Le programme se donne ce nom lui-même. Personne ne l’a vérifié.',
  answersGoTo: 'Votre réponse est envoyée à',
  local: (host) => `Un programme sur cet ordinateur (${host})`,
  app: (scheme) => `L’application qui ouvre ${scheme}`,
  may: 'Il pourra',
  scopes: {
    catalog: 'Voir et modifier les produits, prix, types de produit, taxes et remises',
    payment_links: 'Créer des liens de paiement',
  },
  mayNot:
    'Il ne voit ni commandes, ni paiements, ni clients, ni clés, ni portefeuilles, et ne peut pas déplacer d’argent.',
  merchant: 'Pour',
  data: 'Avec',
  live: 'Données réelles',
  test: 'Données de test',
  signedInAs: (email) =>
    `Vous êtes connecté en tant que ${email}. Vous pouvez le déconnecter à tout moment dans votre compte.`,
  allow: 'Autoriser',
  deny: 'Refuser',
  noMerchant: 'Seul le propriétaire ou un gérant d’un commerce actif peut connecter un assistant.',
  over: 'Cette demande est terminée',
  overText: 'Elle a pris trop de temps, ou elle a déjà reçu une réponse. Recommencez dans votre assistant.',
  wrong: 'Il n’est pas possible de répondre à cette demande',
  wrongText: 'Le programme qui vous a envoyé ici a mal posé sa demande. Rien n’a été connecté.',
};
