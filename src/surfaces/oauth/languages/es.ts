import type { Words } from './en.ts';

export const es: Words = {
  title: (client) => `¿Conectar ${client}?`,
  unnamed: 'un asistente',
  nameUnchecked: 'El programa se da este nombre a sí mismo. Nadie lo ha comprobado.',
  answersGoTo: 'Su respuesta se envía a',
  local: (host) => `Un programa de este ordenador (${host})`,
  app: (scheme) => `La aplicación que abre ${scheme}`,
  may: 'Podrá',
  scopes: {
    catalog: 'Ver y cambiar productos, precios, tipos de producto, impuestos y descuentos',
    payment_links: 'Crear enlaces de pago',
  },
  mayNot: 'No puede ver pedidos, pagos, clientes, claves ni monederos, y no puede mover dinero.',
  merchant: 'Para',
  data: 'Con',
  live: 'Datos reales',
  test: 'Datos de prueba',
  signedInAs: (email) => `Ha iniciado sesión como ${email}. Puede desconectarlo en su cuenta en cualquier momento.`,
  allow: 'Permitir',
  deny: 'Rechazar',
  noMerchant: 'Solo el propietario o un gerente de un comercio activo puede conectar un asistente.',
  over: 'Esta solicitud ha terminado',
  overText: 'Ha tardado demasiado o ya se ha respondido. Empiece de nuevo en su asistente.',
  wrong: 'No se puede responder a esta solicitud',
  wrongText: 'El programa que le envió aquí preguntó de forma incorrecta. No se ha conectado nada.',
};
