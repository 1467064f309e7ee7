import type { Words } from './en.ts';

export const ja: Words = {
  title: (client) => `${client} を接続しますか？`,
  unnamed: 'アシスタント',
  nameUnchecked: 'この名前はプログラム自身が名乗っているもので、確認されていません。',
  answersGoTo: '回答の送信先',
  local: (host) => `このコンピューター上のプログラム（${host}）`,
  app: (scheme) => `${scheme} を開くアプリ`,
  may: '許可される操作',
  scopes: {
    catalog: '商品、価格、商品の種類、税、割引の表示と変更',
    payment_links: '支払いリンクの作成',
  },
  mayNot: '注文、支払い、顧客、キー、ウォレットは見えず、お金を動かすこともできません。',
  merchant: '対象の店舗',
  data: '対象のデータ',
  live: '本番データ',
  test: 'テストデータ',
  signedInAs: (email) => `${email} としてログインしています。接続はアカウントのページでいつでも解除できます。`,
  allow: '許可する',
  deny: '拒否する',
  noMerchant: 'アシスタントを接続できるのは、有効な店舗のオーナーまたはマネージャーだけです。',
  over: 'このリクエストは終了しました',
  overText: '時間がかかりすぎたか、すでに回答済みです。アシスタントからやり直してください。',
  wrong: 'このリクエストには応答できません',
  wrongText: 'ここに案内したプログラムの要求が正しくありません。何も接続されていません。',
};
