import { randomBytes, randomUUID } from 'node:crypto';
import { queueMail } from '../../src/flows/queue-mail.ts';
import { simulatedPreimage } from '../../src/lightning/adapters/simulated.ts';
import { sealedPlace } from '../../src/model/sealed-columns.ts';
import { insertStartedKey } from '../../src/store/idempotency-keys.ts';
import { startPhoenixdServer } from '../rig/phoenixd-server.ts';
import { PaperNode } from '../support/paper-node.ts';
import { buy } from './access.ts';
import type { TestApp, TestMerchant } from './app.ts';
import { createProduct } from './catalog.ts';
import type { Client, Reply } from './client.ts';
import { connect } from './oauth.ts';
import { createOrderWithInvoice } from './orders.ts';
import { addUser } from './people.ts';
import { Receiver } from './receiver.ts';
import { turnOnSecondFactor } from './second-factor.ts';
import { invite } from './subscriptions.ts';
import { Visitor } from './visitor.ts';
import { testWalletId } from './wallets.ts';
import { createWebhook } from './webhooks.ts';

/** A mail server that nobody asks: with it in the environment mails are queued. */
export const unusedMailServer = {
  SMTP_URL: 'smtp://satline:mail-server-password@127.0.0.1:1',
  MAIL_FROM: 'Satline <pay@shop.example>',
};

/** A shop in which a secret of every kind has been made and used, and what they are. */
export interface BusyShop {
  readonly merchant: TestMerchant;
  /** By what they are. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly receiver: Receiver;
  /** Of the simulated wallet, not paid. */
  readonly openInvoiceId: string;
  readonly accessToken: string;
  readonly mediaKeyId: string;
  readonly webhookId: string;
  readonly phoenixd: { readonly walletId: string; readonly connection: string };
  readonly subscriptionId: string;
  /** A call and its key, for sending it again. */
  replay(client: Client): Promise<Reply>;
  close(): Promise<void>;
}

/** Needs an app with `unusedMailServer` in its environment. */
export async function openBusyShop(app: TestApp): Promise<BusyShop> {
  const merchant = await app.newMerchant();
  const { test: client } = merchant;
  const secrets = new Map<string, string>();
  const keep = (what: string, secret: string) => {
    if (!secret) throw new Error(`There is no ${what}`);
    secrets.set(what, secret);
    return secret;
  };
  const make = async (path: string, body: unknown, headers = {}) => {
    const reply = await client.post(`/api/v1/m/${path}`, body, headers);
    if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };

  keep('API key', client.key!);
  const issued = await make('api_tokens', { api_token: { name: 'Till', token_type: 'secret' } });
  keep('API key that was made over the API', issued.key);

  // A wallet with a credential, one webhook with two secrets.
  const phoenixd = await startPhoenixdServer(new PaperNode(app.clock));
  const connection = `type=phoenixd;server=${phoenixd.url}/;password=${phoenixd.limitedPassword}`;
  const wallet = await make('wallets', { wallet: { connection } }, { 'idempotency-key': 'connect' });
  keep('wallet credential', phoenixd.limitedPassword);
  const receiver = await Receiver.open();
  const webhook = await createWebhook(client, receiver.url);
  keep('previous webhook secret', webhook.secret_key);
  keep('webhook secret', (await make(`webhooks/${webhook.id}/rotate_secret`, {})).secret_key);

  // Paid access: keys of every origin, and a token.
  const { product, token } = await buy(app, client);
  keep('access token', token);
  const mediaKey = await make('media_keys', { media_key: { name: 'Films', product_ids: [product.id] } });
  const rotated = await make(`media_keys/${mediaKey.id}/rotate`, {}, { 'idempotency-key': 'rotate' });
  keep('media key', rotated.key);
  keep('previous media key', rotated.previous_key);
  await make('access/verify', { access_token: token, media_key_id: mediaKey.id });
  const brought = keep('media key that was brought', randomBytes(32).toString('base64url'));
  const changed = await client.patch(`/api/v1/m/media_keys/${(await make('media_keys', { media_key: {} })).id}`, {
    media_key: { browser_delivery: false, key: brought },
  });
  if (changed.status !== 200) throw new Error(JSON.stringify(changed.body));
  const second = await createProduct(client);
  keep('previous key of a product', (await client.get(`/api/v1/m/products/${second.id}/key`)).body.key);
  keep('key of a product', (await make(`products/${second.id}/rotate_key`, {})).key);
  const [signing] = await app.rows<{ key: Buffer }>(
    'select key from access_keys where merchant_id = $1 and not livemode',
    [merchant.id],
  );
  const { sealer } = app.parts;
  const signingPlace = sealedPlace('access_keys.key', merchant.id, false);
  keep('key that signs access tokens', sealer.open(signing!.key, signingPlace).toString('hex'));

  // People, their sessions and devices.
  const user = await addUser(app, [merchant]);
  keep('password', user.password);
  const session = await app.stranger.post('/api/v1/m/sessions', user);
  keep('session token', session.body.session_token);
  const device = { session_token: session.body.session_token, merchant_id: merchant.id, livemode: false };
  keep('device key', (await app.stranger.post('/api/v1/m/sessions/activate', device)).body.api_key);
  const browser = new Visitor(app.app);
  await browser.signIn(user);
  keep('cookie of a browser', browser.cookie!.split('=')[1]!);
  const factor = await turnOnSecondFactor(app, browser, user.password);
  keep('secret of a second factor', factor.secret);
  keep('recovery code', factor.recoveryCodes[0]!);

  // An assistant that has a secret, and what it was given.
  const { assistant, tokens } = await connect(app, user, merchant.id, {
    metadata: { token_endpoint_auth_method: 'client_secret_post' },
  });
  keep('client secret', assistant.clientSecret!);
  keep('access token of an assistant', tokens.access_token);
  keep('refresh token', tokens.refresh_token);

  // Links that open something, and a mail that holds one.
  const subscription = await invite(client);
  const link = keep('customer’s link', new URL(subscription.customer_url).pathname.split('/').at(-1)!);
  await app.parts.db.transaction((tx) =>
    queueMail(tx, app.parts, merchant.id, { to: 'ada@example.com', subject: 'Hi', text: link }, app.clock.now()),
  );

  // An invoice that waits for its payer, and a call that a crash cut off.
  const { invoice } = await createOrderWithInvoice(client);
  const walletId = await testWalletId(app, merchant);
  const [{ ref }] = (await app.rows('select ref from invoices where id = $1', [invoice.id])) as [{ ref: string }];
  const simulator = sealer.deriveKey(`simulated wallet ${walletId}`);
  keep('secret of the simulated wallet', simulator.toString('hex'));
  keep('preimage of an unpaid invoice', simulatedPreimage(simulator, ref).toString('hex'));
  const started = { credentialId: client.id!, key: 'cut off', operation: 'create_order', inputHash: '' };
  await insertStartedKey(
    app.parts.db,
    { ...started, token: randomUUID(), now: app.clock.now() },
    20,
    sealer.seal(
      keep('what a call had decided', 'frozen by a call'),
      sealedPlace('idempotency_keys.frozen', client.id!, 'cut off'),
    ),
  );

  return {
    merchant,
    secrets,
    receiver,
    openInvoiceId: invoice.id,
    accessToken: token,
    mediaKeyId: mediaKey.id,
    webhookId: webhook.id,
    phoenixd: { walletId: wallet.id, connection },
    subscriptionId: subscription.id,
    replay: (again) => again.post(`/api/v1/m/media_keys/${mediaKey.id}/rotate`, {}, { 'idempotency-key': 'rotate' }),
    async close() {
      await receiver.close();
      await phoenixd.stop();
    },
  };
}
