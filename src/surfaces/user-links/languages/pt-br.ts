import type { Words } from './en.ts';

export const ptBr: Words = {
  roles: { owner: 'proprietário', manager: 'gerente', cashier: 'caixa', accountant: 'contador' },
  invited: (merchant) => `Trabalhar com ${merchant}`,
  invitedText: (merchant, role) => `${merchant} convida você para entrar como ${role}.`,
  choosePassword: 'Escolha uma senha para a sua conta.',
  keepPassword: 'Você já tem uma conta e mantém a senha dela.',
  accept: 'Aceitar',
  accepted: 'Você já faz parte',
  acceptedText: (merchant) => `Agora você pode entrar e trabalhar para ${merchant}.`,
  email: 'E-mail',
  password: 'Nova senha',
  repeat: 'A mesma outra vez',
  rule: (least) => `Pelo menos ${least} caracteres. Várias palavras são fáceis de lembrar e difíceis de adivinhar.`,
  faults: {
    short: (least) => `Ela precisa ter pelo menos ${least} caracteres.`,
    long: (most) => `Ela pode ter no máximo ${most} caracteres.`,
    guessable: 'Ela é fácil demais de adivinhar.',
    differs: 'Esta não é a mesma senha.',
    email: 'Digite um endereço de e-mail, como ada@example.com.',
  },
  forgotten: 'Esqueceu a senha?',
  forgottenText: 'Digite o endereço com que você entra, e enviaremos um link para criar uma nova senha.',
  noMails: 'Este serviço não envia e-mails. Peça a quem o administra um link para criar uma nova senha.',
  send: 'Enviar um link',
  sent: 'Veja a sua caixa de entrada',
  sentText: (email) =>
    `Se ${email} tem uma conta aqui, um link está a caminho. Ele vale por uma hora. Se não chegar, veja no spam ou confira o endereço.`,
  tooMany: 'Foram pedidos links demais. Espere um pouco e tente de novo.',
  newPassword: 'Criar uma nova senha',
  newPasswordText: 'Você sairá de todos os lugares, e seus dispositivos terão de entrar de novo.',
  save: 'Salvar senha',
  saved: 'Sua nova senha está valendo',
  savedText: 'Você saiu de todos os lugares. Entre com a nova senha.',
  signIn: 'Entrar',
  over: 'Este link não funciona mais',
  overText: 'Ele foi usado, substituído ou é antigo demais. Peça um novo.',
  failed: 'Não deu certo',
  foreign: 'O formulário não foi enviado desta página. Abra o link de novo.',
  letters: {
    invitation: {
      subject: (merchant) => `${merchant} convida você`,
      text: (merchant, role) =>
        `${merchant} convida você para entrar como ${role}. Aceite em até sete dias:\n\n{link}\n\nO link é só para você. Se não o esperava, não faça nada.\n`,
    },
    password: {
      subject: 'Criar uma nova senha',
      text: 'Crie uma nova senha com este link:\n\n{link}\n\nEle serve uma vez e por pouco tempo. Se você não o pediu, não faça nada: sua senha continua como está.\n',
    },
    changed: {
      subject: 'Sua senha foi alterada',
      text: 'Sua senha acaba de ser alterada, e você saiu de todos os lugares. Se não foi você, peça já uma nova senha e avise quem administra este serviço.\n',
    },
  },
};
