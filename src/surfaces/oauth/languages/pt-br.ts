import type { Words } from './en.ts';

export const ptBr: Words = {
  title: (client) => `Conectar ${client}?`,
  unnamed: 'um assistente',
  nameUnchecked: 'O programa deu este nome a si mesmo. Ninguém o verificou.',
  answersGoTo: 'Sua resposta vai para',
  local: (host) => `Um programa neste computador (${host})`,
  app: (scheme) => `O aplicativo que abre ${scheme}`,
  may: 'Ele poderá',
  scopes: {
    catalog: 'Ver e alterar produtos, preços, tipos de produto, impostos e descontos',
    payment_links: 'Criar links de pagamento',
  },
  mayNot: 'Ele não vê pedidos, pagamentos, clientes, chaves nem carteiras, e não pode movimentar dinheiro.',
  merchant: 'Para',
  data: 'Com',
  live: 'Dados reais',
  test: 'Dados de teste',
  signedInAs: (email) => `Você entrou como ${email}. É possível desconectá-lo a qualquer momento na sua conta.`,
  allow: 'Permitir',
  deny: 'Recusar',
  noMerchant: 'Somente o proprietário ou um gerente de um comércio ativo pode conectar um assistente.',
  over: 'Este pedido terminou',
  overText: 'Demorou demais ou já foi respondido. Comece de novo no seu assistente.',
  wrong: 'Não é possível responder a este pedido',
  wrongText: 'O programa que enviou você aqui perguntou de forma errada. Nada foi conectado.',
};
