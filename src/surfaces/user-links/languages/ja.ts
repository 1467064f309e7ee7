import type { Words } from './en.ts';

export const ja: Words = {
  roles: { owner: 'オーナー', manager: 'マネージャー', cashier: 'レジ担当', accountant: '経理担当' },
  invited: (merchant) => `${merchant} に参加`,
  invitedText: (merchant, role) => `${merchant} から「${role}」として招待されています。`,
  choosePassword: 'アカウントのパスワードを決めてください。',
  keepPassword: 'アカウントはすでにあり、パスワードはそのまま使えます。',
  accept: '承諾する',
  accepted: '参加しました',
  acceptedText: (merchant) => `ログインして ${merchant} の仕事を始められます。`,
  email: 'メールアドレス',
  password: '新しいパスワード',
  repeat: 'もう一度入力',
  rule: (least) => `${least} 文字以上。いくつかの単語を並べると、覚えやすく推測されにくくなります。`,
  faults: {
    short: (least) => `${least} 文字以上にしてください。`,
    long: (most) => `${most} 文字以内にしてください。`,
    guessable: '推測されやすすぎます。',
    differs: 'パスワードが一致しません。',
    email: 'ada@example.com のようなメールアドレスを入力してください。',
  },
  forgotten: 'パスワードをお忘れですか？',
  forgottenText: 'ログインに使うアドレスを入力すると、新しいパスワードを設定するリンクをお送りします。',
  noMails: 'このサービスはメールを送信しません。運営者に、新しいパスワードを設定するリンクを依頼してください。',
  send: 'リンクを送る',
  sent: '受信箱をご確認ください',
  sentText: (email) =>
    `${email} のアカウントがあれば、リンクをお送りしました。有効期間は 1 時間です。届かない場合は、迷惑メールとアドレスをご確認ください。`,
  tooMany: 'リンクの依頼が多すぎます。しばらく待ってからもう一度お試しください。',
  newPassword: '新しいパスワードの設定',
  newPasswordText: 'すべての場所からログアウトされ、端末は再度ログインが必要になります。',
  save: 'パスワードを保存',
  saved: '新しいパスワードを設定しました',
  savedText: 'すべての場所からログアウトしました。新しいパスワードでログインしてください。',
  signIn: 'ログイン',
  over: 'このリンクは使えません',
  overText: '使用済み、差し替え済み、または期限切れです。新しいリンクを依頼してください。',
  failed: 'うまくいきませんでした',
  foreign: 'フォームはこのページから送信されていません。リンクをもう一度開いてください。',
  letters: {
    invitation: {
      subject: (merchant) => `${merchant} からの招待`,
      text: (merchant, role) =>
        `${merchant} から「${role}」として招待されています。7 日以内に承諾してください。\n\n{link}\n\nこのリンクはあなた専用です。心当たりがなければ、何もしないでください。\n`,
    },
    password: {
      subject: '新しいパスワードの設定',
      text: '次のリンクから新しいパスワードを設定してください。\n\n{link}\n\n一度だけ、短い間だけ使えます。心当たりがなければ、何もしないでください。パスワードは変わりません。\n',
    },
    changed: {
      subject: 'パスワードが変更されました',
      text: 'パスワードが変更され、すべての場所からログアウトしました。心当たりがない場合は、すぐに新しいパスワードを依頼し、運営者に知らせてください。\n',
    },
  },
};
