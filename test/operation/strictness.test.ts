import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../harness/app.ts';
import type { Client } from '../harness/client.ts';
import { books, expectError, expectInvalid } from '../harness/expect.ts';
import { createOrder, orderBody } from '../harness/orders.ts';

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  client = (await app.newMerchant()).test;
});
afterAll(() => app.close());

const path = '/api/v1/m/orders';
const json = { 'content-type': 'application/json' };
const item = (members: Record<string, unknown>) => ({ items: [{ name: 'A', price_cents: 1, qty: 1, ...members }] });
/** A body in which one number is spelt as no JSON.stringify would. */
const spelt = (total: string) =>
  `{"order":{"total_amount_cents":${total},"tender_type":"cash","items":[{"name":"A","price_cents":1,"qty":1}]}}`;

async function expectRefused(order: Record<string, unknown>, ...sentences: (string | RegExp)[]): Promise<void> {
  const before = await books(app);
  expectInvalid(await client.post(path, orderBody(order)), ...sentences);
  expect(await books(app)).toEqual(before);
}

describe('nothing is coerced (case C078)', () => {
  const wholeNumber = (name: string) => `${name} must be a whole number`;

  test.each([null, '500', 500.7, true, false, [500], {}, ''])('a total of %j', async (total_amount_cents) => {
    await expectRefused({ total_amount_cents }, wholeNumber('total_amount_cents'));
  });

  test.each(['2', 1.5, true, null, [1]])('a quantity of %j', async (qty) => {
    await expectRefused(item({ qty }), wholeNumber('items[0].qty'));
  });

  test.each([12, null, true, ['A']])('a name of %j', async (name) => {
    await expectRefused(item({ name }), 'items[0].name must be text');
  });

  test.each([
    [{ tax_amount_cents: '1' }, wholeNumber('tax_amount_cents')],
    [{ discount_amount_cents: false }, wholeNumber('discount_amount_cents')],
    [{ currency: 840 }, 'currency must be text'],
    [{ customer_email: 7 }, 'customer_email must be text'],
    [{ po_number: 7 }, 'po_number must be text'],
    [{ tender_type: 1 }, /^tender_type must be/],
    [{ items: {} }, 'items must be a list'],
    [{ items: 'A' }, 'items must be a list'],
    [{ items: ['A'] }, 'items[0] must be an object'],
    [{ metadata: [] }, 'metadata must be an object'],
    [item({ sku: 5 }), 'items[0].sku must be text'],
    [item({ price_cents: -1 }), 'items[0].price_cents must be at least 0'],
    [item({ qty: 0 }), 'items[0].qty must be at least 1'],
    [{ total_amount_cents: -1 }, 'total_amount_cents must be at least 0'],
  ])('%j', async (order, sentence) => {
    const reply = await client.post(path, orderBody(order));
    expectError(reply, 'validation_error', { details: reply.body.error.details });
    expect(reply.body.error.details[0]).toMatch(sentence);
  });

  test.each(['true', 1, 'false', []])('flags of %j', async (flag) => {
    const before = await books(app);
    for (const name of ['generate_invoice', 'mark_as_paid']) {
      expectInvalid(await client.post(path, orderBody({}, { [name]: flag })), `${name} must be true or false`);
    }
    expect(await books(app)).toEqual(before);
  });

  test('a real 0 stays 0', async () => {
    const order = await createOrder(client, { total_amount_cents: 0, ...item({ price_cents: 0 }) });
    expect(order).toMatchObject({ total_amount_cents: 0, total_amount_sats: 0, items: [{ price_cents: 0 }] });
    const { body: shown } = await client.get(`${path}/${order.id}`);
    expect(shown).toMatchObject({ total_amount_cents: 0, tax_amount_cents: 0 });
  });

  test('one sentence for each thing that is wrong', async () => {
    const items = [{ name: '', price_cents: 'x', qty: 0 }, { qty: 1 }];
    await expectRefused(
      { total_amount_cents: 1.5, items, currency: 'zz' },
      wholeNumber('total_amount_cents'),
      'items[0].name must not be empty',
      wholeNumber('items[0].price_cents'),
      'items[0].qty must be at least 1',
      'items[1].name is required',
      'items[1].price_cents is required',
      'currency must be a known currency code',
    );
  });
});

describe('large numbers (case C079)', () => {
  test.each([
    [2_147_483_648, 'irr'],
    [4_000_000_000, 'irr'],
    [9_007_199_254_740_991, 'irr'],
    // More than there are sats for, which is nothing to somebody who pays cash.
    [9_007_199_254_740_991, 'usd'],
    [9_007_199_254_740_991, 'jpy'],
  ])('%i %s works, in and out', async (amount, currency) => {
    const order = await createOrder(client, {
      total_amount_cents: amount,
      tax_amount_cents: amount,
      discount_amount_cents: amount,
      tender_type: 'cash',
      currency,
      ...item({ price_cents: amount }),
    });
    const { body: shown } = await client.get(`${path}/${order.id}`);
    for (const body of [order, shown]) {
      expect(body).toMatchObject({
        total_amount_cents: amount,
        tax_amount_cents: amount,
        discount_amount_cents: amount,
      });
      expect(body.items[0].price_cents).toBe(amount);
    }
  });

  test.each(['9007199254740992', '9007199254740993', '9007199254740991.5', '1e16', '99999999999999999999999', '1e999'])(
    '%s is refused with the stated maximum, never rounded',
    async (total) => {
      const reply = await client.raw('POST', path, spelt(total), json);
      expectError(reply, 'validation_error', { details: reply.body.error.details });
      expect(reply.body.error.details[0]).toMatch(/at most 9007199254740991|must be a whole number/);
    },
  );

  test.each([
    ['5e2', 500],
    ['500.0', 500],
    ['5.00e2', 500],
    ['-0', 0],
  ])('%s is the whole number it says', async (total, amount) => {
    const reply = await client.raw('POST', path, spelt(total), json);
    expect(reply.status).toBe(201);
    expect(reply.body.total_amount_cents).toBe(amount);
  });

  test('a bitcoin order that comes to more sats than can be counted is 422 with that maximum', async () => {
    await expectRefused({ total_amount_cents: 9_007_199_254_740_991 }, /9007199254740991 sats$/);
    const most = await createOrder(client, { total_amount_cents: 900_719_925_474_099 });
    expect(most.total_amount_sats).toBe(9_007_199_254_740_990);
  });
});

describe('e-mail addresses (case C084)', () => {
  test.each([
    ['a@b.co', 'a@b.co'],
    ['a+b@exämple.de', 'a+b@exämple.de'],
    [' a@b.co ', 'a@b.co'],
    ['A@B.CO', 'A@B.CO'],
    [null, null],
  ])('%j is kept as %j', async (customer_email, kept) => {
    expect((await createOrder(client, { customer_email })).customer_email).toBe(kept);
  });

  test.each(['a@b', 'a@b..co', 'a..b@c.de', '', ' ', 'a@b.co\r\nBcc: x@y.z', 'a b@c.de', 'a@@b.co', '@b.co'])(
    '%j is refused',
    async (customer_email) => {
      await expectRefused({ customer_email }, 'customer_email must be an e-mail address');
    },
  );

  test('one of 300 characters is refused', async () => {
    const reply = await client.post(path, orderBody({ customer_email: `${'a'.repeat(295)}@b.co` }));
    expect(reply.status).toBe(422);
    for (const sentence of reply.body.error.details) expect(sentence).toMatch(/^customer_email must/);
  });
});

describe('size and depth (case C086)', () => {
  test('5,000 items are refused by their number, with one sentence', async () => {
    const items = Array.from({ length: 5000 }, () => ({ name: 'A', price_cents: 1, qty: 1 }));
    await expectRefused({ items }, 'items must have at most 500 entries');
  });

  test('many faults are named up to fifty, and of very many the first', async () => {
    const sevens = (count: number) => Array.from({ length: count }, () => 7);
    const some = await client.post(path, orderBody({ items: sevens(400) }));
    expect(some.body.error.details).toHaveLength(51);
    expect(some.body.error.details[0]).toBe('items[0] must be an object');
    expect(some.body.error.details[50]).toBe('and 350 more faults');
    await expectRefused({ items: sevens(300_000) }, 'items must have at most 500 entries');
    // One that comes before them must not open the gate.
    await expectRefused({ total_amount_cents: 'x', items: sevens(300_000) }, /^total_amount_cents must be/);
  });

  test('a megabyte of metadata is refused by its size', async () => {
    const metadata = { list: Array.from({ length: 2000 }, () => 'x'.repeat(450)) };
    await expectRefused({ metadata }, 'metadata must be at most 16 kB of JSON, unless all its values are strings');
  });

  test('200 levels are refused, wherever they are', async () => {
    const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
    await expectRefused({ metadata: deep(200) }, /nested more than 64 levels deep$/);
    await expectRefused({ undeclared: deep(200) }, /nested more than 64 levels deep$/);
    expect((await createOrder(client, { metadata: deep(50) })).metadata).toEqual(deep(50));
  });

  test('half a million brackets are answered quickly', async () => {
    const started = performance.now();
    const levels = 500_000;
    const reply = await client.raw('POST', path, `{"order":${'['.repeat(levels)}${']'.repeat(levels)}}`, json);
    expectInvalid(reply, /nested more than 64 levels deep$/);
    expect(reply.body.error.details[0].length).toBeLessThan(1000);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('text has its limits', async () => {
    await expectRefused(item({ name: 'x'.repeat(501) }), 'items[0].name must have at most 500 characters');
    await expectRefused({ po_number: 'x'.repeat(201) }, 'po_number must have at most 200 characters');
    await expectRefused(item({ name: '  ' }), 'items[0].name must not be empty');
  });
});

describe('text', () => {
  test.each([
    ['a NUL', '\u0000'],
    ['a high surrogate alone', 'x\ud83d'],
    ['a low surrogate alone', '\udc00x'],
    ['surrogates the wrong way round', '\udc00\ud83d'],
  ])('with %s is refused by its place', async (_, text) => {
    const fault = (place: string) => `${place} has a NUL or a broken character`;
    await expectRefused(item({ name: text }), fault('items[0].name'));
    await expectRefused({ customer_email: text }, fault('customer_email'));
    await expectRefused({ metadata: { note: text } }, fault('metadata.note'));
    await expectRefused({ metadata: { list: [{ a: text }] } }, fault('metadata.list[0].a'));
    await expectRefused({ metadata: { [text]: 1 } }, 'metadata has a key with a NUL or a broken character');
    await expectRefused({ undeclared: text }, fault('undeclared'));
  });

  test('of any other kind comes back as it was sent', async () => {
    const texts = [
      '<b>&"\'</b>',
      '\u2028\u2029',
      '\u001b[31m',
      '\u007f',
      '🤷🏽‍♀️',
      'e\u0301 é',
      '\ufeff',
      '\\u0000 \\n',
      '{{7*7}}',
    ];
    for (const text of texts) {
      const order = await createOrder(client, {
        ...item({ name: `x${text}x` }),
        po_number: text,
        metadata: { [text]: text },
      });
      const { body: shown } = await client.get(`${path}/${order.id}`);
      for (const body of [order, shown]) {
        expect(body.items[0].name).toBe(`x${text}x`);
        expect(body.po_number).toBe(text);
        expect(body.metadata).toEqual({ [text]: text });
      }
    }
  });

  test('names are trimmed, other text is not', async () => {
    const order = await createOrder(client, { ...item({ name: ' \t Tea\n ' }), po_number: ' 7 ' });
    expect(order.items[0].name).toBe('Tea');
    expect(order.po_number).toBe(' 7 ');
  });
});

test('any metadata that is taken comes back deep-equal, on every door', async () => {
  const text = fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .filter((one) => !one.includes('\u0000') && one.isWellFormed());
  const key = text.filter((one) => one.length <= 40);
  const leaf = fc.oneof(
    text,
    fc.integer(),
    // JSON has no -0, and neither has jsonb.
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
    fc.boolean(),
    fc.constant(null),
  );
  const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 4 }), fc.dictionary(key, leaf, { maxKeys: 4 }));
  const metadata = fc.dictionary(key, value, { maxKeys: 10 });
  await fc.assert(
    fc.asyncProperty(metadata, async (given) => {
      const sent = JSON.parse(JSON.stringify(given));
      const order = await createOrder(client, { metadata: sent });
      expect(order.metadata).toEqual(sent);
      expect((await client.get(`${path}/${order.id}`)).body.metadata).toEqual(sent);
      const [event] = await app.rows<{ body: string }>('select body from events where subject_id = $1', [order.id]);
      expect(JSON.parse(event!.body).data.metadata).toEqual(sent);
    }),
    { numRuns: 40 },
  );
});

test('no body, however odd, is answered with anything but the envelope or an order', async () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.record({ order: fc.jsonValue() }),
    fc.record(
      {
        order: fc.record(
          {
            total_amount_cents: fc.oneof(fc.integer(), fc.jsonValue()),
            items: fc.oneof(
              fc.array(
                fc.record({ name: fc.oneof(fc.string(), fc.jsonValue()), price_cents: fc.nat(), qty: fc.integer() }),
              ),
              fc.jsonValue(),
            ),
            currency: fc.oneof(fc.constantFrom('usd', 'JPY', 'kwd'), fc.jsonValue()),
            tender_type: fc.oneof(fc.constantFrom('bitcoin', 'cash'), fc.jsonValue()),
            metadata: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
        generate_invoice: fc.oneof(fc.boolean(), fc.jsonValue()),
        mark_as_paid: fc.oneof(fc.boolean(), fc.jsonValue()),
      },
      { requiredKeys: ['order'] },
    ),
  );
  await fc.assert(
    fc.asyncProperty(odd, async (body) => {
      const reply = await client.post(path, body);
      if (reply.status === 201) return;
      expect(reply.body.error).toMatchObject({ code: 'validation_error', status: 422, message: 'Validation failed' });
      expect(reply.body.error.details.length).toBeGreaterThan(0);
    }),
    { numRuns: 150 },
  );
});
