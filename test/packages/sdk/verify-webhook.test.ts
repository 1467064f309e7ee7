import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  signWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from '../../../packages/sdk/src/index.ts';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { createOrder } from '../../harness/orders.ts';
import { type Received, Receiver } from '../../harness/receiver.ts';
import { createWebhook } from '../../harness/webhooks.ts';

const note = '☕ \u2028 é \u001B <b>&</b> \u202e 𝕊 ﷽';
let app: TestApp;
let receiver: Receiver;
let secret: string;
let hit: Received;
let now: () => Date;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  receiver = await Receiver.open();
  const { test: client } = await app.newMerchant();
  ({ secret_key: secret } = await createWebhook(client, receiver.url, { events: ['order.created'] }));
  await createOrder(client, { metadata: { note } });
  await app.deliverDue();
  hit = receiver.received[0]!;
  const sentAt = app.clock.now();
  now = () => sentAt;
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});

/** The delivery's headers with changes; undefined removes one. */
function headersWith(change: Record<string, string | string[] | undefined>): WebhookHeaders {
  return { ...hit.headers, ...change };
}

const onlyService = (value?: string | string[]) => ({
  'webhook-id': undefined,
  'webhook-timestamp': undefined,
  'webhook-signature': undefined,
  'x-service-signature': value,
});

function faultOf(body: unknown, headers: unknown, key: unknown = secret, options: VerifyOptions = { now }): string {
  try {
    verifyWebhook(body as string, headers as WebhookHeaders, key as string, options);
  } catch (error) {
    expect(error).toBeInstanceOf(WebhookVerificationError);
    return (error as WebhookVerificationError).code;
  }
  return 'accepted';
}

describe('a delivery of Satline', () => {
  test('is accepted and read, as bytes or text, with headers of either kind', () => {
    const event = verifyWebhook<{ metadata: { note: string } }>(hit.body, hit.headers, secret, { now });
    expect(event).toEqual(hit.event);
    expect(event.data.metadata.note).toBe(note);
    const entries = Object.entries(hit.headers).map(([name, value]) => [name.toUpperCase(), String(value)]);
    const upper = Object.fromEntries(entries);
    for (const body of [`${hit.body}`, new Uint8Array(hit.body)]) {
      for (const headers of [upper, new Headers(entries as [string, string][])]) {
        expect(verifyWebhook(body, headers, secret, { now })).toEqual(hit.event);
      }
    }
  });

  test('is accepted unchanged by the verifier of Standard Webhooks', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: now() });
    const headers = hit.headers as Record<string, string>;
    expect(new Webhook(secret).verify(hit.body.toString('utf8'), headers)).toEqual(hit.event);
    expect(() => new Webhook(secret).verify(`${hit.body} `, headers)).toThrow();
  });

  test('is accepted under the old and the new secret after a rotation', async () => {
    const { test: client } = await app.newMerchant();
    const webhook = await createWebhook(client, receiver.url, { events: ['order.created'] });
    const { secret_key: next } = (await client.post(`/api/v1/m/webhooks/${webhook.id}/rotate_secret`)).body;
    await createOrder(client);
    await app.deliverDue();
    const { body, headers, event } = receiver.received.at(-1)!;
    for (const keys of [webhook.secret_key, next, [next, webhook.secret_key], [secret, next]]) {
      expect(verifyWebhook(body, headers, keys, { now })).toEqual(event);
    }
    expect(faultOf(body, headers, secret)).toBe('wrong_signature');
    vi.useFakeTimers({ toFake: ['Date'], now: now() });
    for (const key of [webhook.secret_key, next]) {
      expect(new Webhook(key).verify(body.toString('utf8'), headers as Record<string, string>)).toEqual(event);
    }
  });

  test('is refused once a byte, the id, the time or the secret is another', () => {
    const changed = Buffer.from(hit.body);
    changed[10]! ^= 1;
    expect(faultOf(changed, hit.headers)).toBe('wrong_signature');
    expect(faultOf(`${hit.body}\n`, hit.headers)).toBe('wrong_signature');
    expect(faultOf(hit.body, headersWith({ 'webhook-id': 'evt_other' }))).toBe('wrong_signature');
    const later = String(Number(hit.headers['webhook-timestamp']) + 1);
    expect(faultOf(hit.body, headersWith({ 'webhook-timestamp': later }))).toBe('wrong_signature');
    expect(faultOf(hit.body, hit.headers, `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe('wrong_signature');
  });

  test('is refused a day later (case C044), and from the future', () => {
    const at = (seconds: number) => ({ now: () => new Date(now().getTime() + seconds * 1000) });
    expect(faultOf(hit.body, hit.headers, secret, at(300))).toBe('accepted');
    expect(faultOf(hit.body, hit.headers, secret, at(301))).toBe('outside_tolerance');
    expect(faultOf(hit.body, hit.headers, secret, at(-301))).toBe('outside_tolerance');
    expect(faultOf(hit.body, hit.headers, secret, at(24 * 3600))).toBe('outside_tolerance');
    const aWeek = { ...at(24 * 3600), toleranceSeconds: 7 * 24 * 3600 };
    expect(faultOf(hit.body, hit.headers, secret, aWeek)).toBe('accepted');
  });
});

describe('the signature without a time', () => {
  test('counts where the others are missing, and only there', () => {
    const good = hit.headers['x-service-signature'] as string;
    expect(faultOf(hit.body, headersWith(onlyService(good)))).toBe('accepted');
    expect(faultOf(hit.body, headersWith({ 'webhook-signature': undefined }))).toBe('missing_signature');
    expect(faultOf(hit.body, headersWith({ 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` }))).toBe(
      'wrong_signature',
    );
    expect(faultOf(hit.body, headersWith(onlyService(good)), secret, { now, requireTimestamp: true })).toBe(
      'missing_signature',
    );
    expect(faultOf(hit.body, hit.headers, secret, { now, requireTimestamp: true })).toBe('accepted');
  });

  test('is one error for whatever else it may be (case C121)', () => {
    const hex = (hit.headers['x-service-signature'] as string).slice('sha256='.length);
    const cases: [string | string[] | undefined, string][] = [
      [undefined, 'missing_signature'],
      ['', 'missing_signature'],
      ['abc', 'malformed_signature'],
      ['sha256=', 'malformed_signature'],
      [`sha256=${hex.slice(1)}`, 'malformed_signature'],
      [`sha256=${hex}0`, 'malformed_signature'],
      [`sha1=${hex}`, 'malformed_signature'],
      [hex, 'malformed_signature'],
      [`sha256=${hex}, sha256=${hex}`, 'malformed_signature'],
      [[`sha256=${hex}`, `sha256=${hex}`], 'malformed_signature'],
      [`sha256=${'0'.repeat(64)}`, 'wrong_signature'],
      [`sha256=${hex.toUpperCase()}`, 'accepted'],
      [[`sha256=${hex}`], 'accepted'],
    ];
    for (const [value, fault] of cases)
      expect(faultOf(hit.body, headersWith(onlyService(value))), `${value}`).toBe(fault);
    expect(faultOf(hit.event, hit.headers)).toBe('body_not_raw');
    for (const body of [undefined, null, 7, [...hit.body]]) expect(faultOf(body, hit.headers)).toBe('body_not_raw');
    for (const headers of [undefined, null, 'x', {}]) expect(faultOf(hit.body, headers)).toBe('missing_signature');
  });

  test('is checked before the body is read, like the others (case C121)', () => {
    for (const body of ['', '{', '[]', Buffer.of(0xff)]) {
      for (const headers of [hit.headers, headersWith(onlyService(`sha256=${'0'.repeat(64)}`))]) {
        expect(faultOf(body, headers)).toBe('wrong_signature');
      }
    }
  });

  test('the other headers are one error too', () => {
    const malformed = ['', 'v1', 'v1,', 'v1,abc', 'v2,abc', 'abc', `v1,${'A'.repeat(44)}`, 'v1,a v1,b'];
    for (const value of malformed.slice(1)) {
      expect(faultOf(hit.body, headersWith({ 'webhook-signature': value })), value).toBe('malformed_signature');
    }
    for (const value of ['soon', '-1', '1e3', '99999999999999', ' 1']) {
      expect(faultOf(hit.body, headersWith({ 'webhook-timestamp': value })), value).toBe('malformed_signature');
    }
  });
});

test('the secret may be pasted with or without its prefix and with line breaks (case C044)', () => {
  for (const pasted of [`${secret}\n`, ` ${secret}\r\n`, secret.slice('whsec_'.length), [`${secret}\n`]]) {
    expect(faultOf(hit.body, hit.headers, pasted)).toBe('accepted');
    const service = headersWith(onlyService(hit.headers['x-service-signature'] as string));
    expect(faultOf(hit.body, service, pasted)).toBe('accepted');
  }
  for (const pasted of ['', '\n', 'whsec_', 'whsec_abc', 'whsec_ä', null, 7, [], ['']]) {
    expect(faultOf(hit.body, hit.headers, pasted)).toBe('bad_secret');
  }
});

test('a signed body that is no JSON object is one error as well', () => {
  for (const body of ['', 'x', '[]', '7', 'null', '{']) {
    expect(faultOf(body, signWebhook(body, secret), secret, {})).toBe('body_not_json');
  }
});

test('signWebhook makes what verifyWebhook accepts, for tests of receivers', () => {
  const body = JSON.stringify({ id: 'evt_1', event: 'order.paid', note });
  const headers = signWebhook(body, secret);
  expect(headers['webhook-id']).toBe('evt_1');
  expect(verifyWebhook(body, headers, secret)).toEqual(JSON.parse(body));
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
});
