/** Every sentence of the pages for people; the other languages have the same members. Sentences take their values. */
export const en = {
  skip: 'Skip to content',
  language: 'Language',
  testLabel: 'Test mode',
  testNotice: 'No real bitcoin moves. Do not pay with a live wallet.',
  pay: (merchant: string) => `Pay ${merchant}`,
  ownWallet: (merchant: string) => `Paid directly to ${merchant}’s own wallet`,
  backTo: (merchant: string) => `Back to ${merchant}`,
  total: 'Total',
  alreadyPaid: 'Already paid',
  leftToPay: 'Left to pay',
  tax: 'Tax',
  /** `percent` reads "8.25%". */
  taxAt: (name: string, percent: string) => `${name} ${percent}`,
  /** A tax that prices hold already, so that lines and total add up for who reads them. */
  taxIncluded: (name: string, percent: string) => `${name} ${percent} (included)`,
  discount: 'Discount',
  exchangeRate: 'Exchange rate',
  order: 'Order',
  paidAt: 'Paid',
  customer: 'Customer',
  checkout: {
    scan: 'Scan with a Lightning wallet',
    waiting: 'Waiting for payment',
    timeLeft: 'Time left',
    openWallet: 'Open in wallet',
    qr: 'QR code of the Lightning invoice, opens your wallet',
    browserWallet: 'Pay with browser wallet',
    simulate: 'Simulate payment',
    invoice: 'Lightning invoice',
    copy: 'Copy',
    copied: 'Copied',
    copyFailed: 'Select the text and copy it',
    details: 'Order details',
    offline: 'Connection lost. Trying again…',
    minutesLeft: (minutes: number) => (minutes === 1 ? 'One minute left' : `${minutes} minutes left`),
    held: 'Payment detected',
    heldText: 'Your payment is on its way. Keep this page open; do not pay again.',
    paid: 'Payment complete',
    paidText: (merchant: string) => `${merchant} has received your payment.`,
    late: 'Your payment arrived late',
    lateText: (merchant: string) =>
      `It came after this checkout had ended. ${merchant} has received it: please contact them and name your order.`,
    continueTo: (merchant: string) => `Continue to ${merchant}`,
    receipt: 'View receipt',
    returning: 'Taking you back automatically…',
    expired: 'This checkout has expired',
    expiredText: 'Nothing was charged. Do not pay the old invoice.',
    expiredRenew: 'Start again to get today’s price and a new invoice.',
    expiredReturn: (merchant: string) => `Go back to ${merchant} to start again.`,
    renew: 'Get a new invoice',
    cancelled: 'This checkout was cancelled',
    cancelledText: (merchant: string) => `${merchant} has closed it. Nothing was charged; do not pay the old invoice.`,
    unpayable: 'This payment cannot be taken right now',
    unpayableText: (merchant: string) =>
      `${merchant} cannot take this payment at the moment. Nothing was charged. Please try again later or contact the merchant.`,
    tooMany: 'Too many checkouts were opened from your connection. Nothing was charged. Wait a minute, then try again.',
    tryAgain: 'Try again',
    proof: {
      title: 'Have you paid?',
      text: (merchant: string) =>
        `${merchant}’s wallet does not report payments by itself. Show the proof of payment (preimage): your wallet lists it with the payment.`,
      send: 'Show the proof',
      wrong:
        'This does not prove a payment of this invoice. The preimage has 64 characters, 0–9 and a–f: copy it whole from the payment in your wallet.',
      tooMany: 'Too many tries. Your payment is not lost: wait ten minutes and try again.',
    },
  },
  link: {
    payNow: (amount: string) => `Pay ${amount}`,
    how: 'With bitcoin over Lightning. The exact amount in sats is shown next.',
    notPayable: (merchant: string) =>
      `${merchant} cannot take this payment at the moment. Nothing was charged; please try again later.`,
    scanToPay: 'Scan to pay',
    poster: 'Print as a poster',
  },
  receipt: {
    title: 'Receipt',
    from: (merchant: string) => `Receipt from ${merchant}`,
    watermark: 'Test, not a real payment',
    paid: 'Paid',
    refunded: 'Refunded',
    partlyRefunded: 'Partly refunded',
    item: 'Item',
    quantity: 'Qty',
    price: 'Price',
    subtotal: 'Subtotal',
    refund: 'Refunded',
    method: 'Paid with',
    lightning: 'Bitcoin over Lightning',
    cash: 'Cash',
    amount: 'Amount in bitcoin',
    date: 'Date',
    hash: 'Payment hash',
    proof: 'Proof of payment',
    proofText: 'Whoever knows this number can show that the invoice was paid.',
    preimage: 'Preimage',
    print: 'Print',
  },
  busy: {
    title: 'One moment, please',
    text: 'Many pages are being opened from your connection. Wait a few seconds, then try again.',
  },
  failed: {
    title: 'That did not work',
    text: 'Something went wrong on our side. Wait a moment, then try again. If you have paid already, do not pay again.',
  },
  missing: {
    title: 'Nothing is here',
    text: 'This address is wrong or what it led to is no longer offered. Ask whoever sent it to you for a new one.',
  },
} as const satisfies Words;

type Words = { readonly [name: string]: string | ((...values: never[]) => string) | Words };

/** The same members as English, with sentences of the language's own. */
export type Dictionary = Widened<typeof en>;

type Widened<Shape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends string
    ? string
    : Shape[Name] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Widened<Shape[Name]>;
};
