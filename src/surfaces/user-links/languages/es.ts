import type { Words } from './en.ts';

export const es: Words = {
  roles: { owner: 'propietario', manager: 'encargado', cashier: 'cajero', accountant: 'contable' },
  invited: (merchant) => `Trabajar con ${merchant}`,
  invitedText: (merchant, role) => `${merchant} le invita a unirse como ${role}.`,
  choosePassword: 'Elija una contraseña para su cuenta.',
  keepPassword: 'Ya tiene una cuenta y conserva su contraseña.',
  accept: 'Aceptar',
  accepted: 'Ya forma parte',
  acceptedText: (merchant) => `Ya puede iniciar sesión y trabajar para ${merchant}.`,
  email: 'Correo electrónico',
  password: 'Contraseña nueva',
  repeat: 'La misma otra vez',
  rule: (least) => `Al menos ${least} caracteres. Varias palabras son fáciles de recordar y difíciles de adivinar.`,
  faults: {
    short: (least) => `Debe tener al menos ${least} caracteres.`,
    long: (most) => `Debe tener como máximo ${most} caracteres.`,
    guessable: 'Es demasiado fácil de adivinar.',
    differs: 'No es la misma contraseña.',
    email: 'Escriba una dirección de correo, como ada@example.com.',
  },
  forgotten: '¿Ha olvidado su contraseña?',
  forgottenText:
    'Escriba la dirección con la que inicia sesión y le enviaremos un enlace para poner una contraseña nueva.',
  noMails: 'Este servicio no envía correos. Pida a quien lo gestiona un enlace para poner una contraseña nueva.',
  send: 'Enviar un enlace',
  sent: 'Mire en su buzón',
  sentText: (email) =>
    `Si ${email} tiene una cuenta aquí, hay un enlace en camino. Sirve durante una hora. Si no llega, mire en el correo no deseado o revise la dirección.`,
  tooMany: 'Se han pedido demasiados enlaces. Espere un rato y vuelva a intentarlo.',
  newPassword: 'Poner una contraseña nueva',
  newPasswordText: 'Se cerrará su sesión en todas partes y sus dispositivos tendrán que iniciarla de nuevo.',
  save: 'Guardar contraseña',
  saved: 'Su contraseña nueva ya vale',
  savedText: 'Se ha cerrado su sesión en todas partes. Iníciela con la contraseña nueva.',
  signIn: 'Iniciar sesión',
  over: 'Este enlace ya no funciona',
  overText: 'Se ha usado, se ha sustituido o es demasiado antiguo. Pida uno nuevo.',
  failed: 'No ha funcionado',
  foreign: 'El formulario no se envió desde esta página. Abra el enlace otra vez.',
  letters: {
    invitation: {
      subject: (merchant) => `${merchant} le invita`,
      text: (merchant, role) =>
        `${merchant} le invita a unirse como ${role}. Acepte en un plazo de siete días:\n\n{link}\n\nEl enlace es solo para usted. Si no lo esperaba, no haga nada.\n`,
    },
    password: {
      subject: 'Poner una contraseña nueva',
      text: 'Con este enlace puede poner una contraseña nueva:\n\n{link}\n\nSirve una vez y por poco tiempo. Si no lo ha pedido, no haga nada: su contraseña sigue igual.\n',
    },
    changed: {
      subject: 'Su contraseña ha cambiado',
      text: 'Su contraseña acaba de cambiar y se ha cerrado su sesión en todas partes. Si no ha sido usted, pida enseguida una contraseña nueva y avise a quien gestiona este servicio.\n',
    },
  },
};
