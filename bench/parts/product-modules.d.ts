/** What is loaded of the product as it was compiled: a row that uses it otherwise than it is now is a fault of types. */
export interface ProductModules {
  'app.js': typeof import('../../src/app.ts');
  'auth/api-key.js': typeof import('../../src/auth/api-key.ts');
  'auth/password.js': typeof import('../../src/auth/password.ts');
  'build-parts.js': typeof import('../../src/build-parts.ts');
  'config.js': typeof import('../../src/config.ts');
  'flows/connect-wallet.js': typeof import('../../src/flows/connect-wallet.ts');
  'flows/look-plan.js': typeof import('../../src/flows/look-plan.ts');
  'flows/new-merchant.js': typeof import('../../src/flows/new-merchant.ts');
  'flows/quote-bitcoin.js': typeof import('../../src/flows/quote-bitcoin.ts');
  'kernel/log.js': typeof import('../../src/kernel/log.ts');
  'lightning/bolt11-encode.js': typeof import('../../src/lightning/bolt11-encode.ts');
  'model/channel-search.js': typeof import('../../src/model/channel-search.ts');
  'surfaces/pay/pages/checkout-page.js': typeof import('../../src/surfaces/pay/pages/checkout-page.tsx');
}
