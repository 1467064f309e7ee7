import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordEvents } from '../../../src/events/outbox.ts';
import { cancelOrder } from '../../../src/flows/cancel-order.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { findOrder } from '../../../src/store/orders.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import type { Client } from '../../harness/client.ts';
import { onPostgres } from '../../harness/database.ts';
import { expectInvalid } from '../../harness/expect.ts';
import { untilWaiting, whileLocked } from '../../harness/interleave.ts';
import { createOrder, createOrderWithInvoice } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/events';
const list = async (client: Client, query = '') => (await client.get(`${path}${query}`)).body;

/** The ids of all events behind a cursor, asked for page by page; each page must move on. */
async function readAll(client: Client, after: string, perPage = 100): Promise<{ ids: string[]; cursor: string }> {
  const ids: string[] = [];
  let cursor = after;
  for (;;) {
    const page = await list(client, `?after=${cursor}&per_page=${perPage}`);
    ids.push(...page.data.map((event: { id: string }) => event.id));
    cursor = page.cursor;
    if (!page.has_more) return { ids, cursor };
  }
}

async function record(merchant: TestMerchant, kind: 'order.created' | 'order.updated' = 'order.updated') {
  const scope = { merchantId: merchant.id, livemode: false };
  const fact = { kind, subjectId: newId(), data: {}, dedupe: newId() };
  await app.parts.db.transaction((tx) => recordEvents(tx, scope, [fact], app.clock.now()));
}

describeRefusals(() => app, { method: 'GET', path: () => path, permission: 'webhooks:read' });

describe('without a cursor', () => {
  test('shows what happened, newest first, as webhooks tell it', async () => {
    const merchant = await app.newMerchant();
    await createOrder((await app.newMerchant()).test);
    await createOrder(merchant.live);
    const order = await createOrder(merchant.test);
    app.clock.advanceSeconds(1);
    await merchant.test.delete(`/api/v1/m/orders/${order.id}`);

    const { object, data, meta, cursor, has_more } = await list(merchant.test);
    expect({ object, has_more, count: meta.total_count }).toEqual({ object: 'list', has_more: false, count: 2 });
    expect(cursor).toMatch(/^pos_\d+_0$/);
    expect(data[1]).toEqual({
      object: 'event',
      id: expect.stringMatching(/^evt_/),
      type: 'order.created',
      event: 'order.created',
      created_at: order.created_at,
      livemode: false,
      data: order,
    });
    expect(data[0]).toMatchObject({ type: 'order.cancelled', data: { id: order.id, status: 'cancelled' } });
    expect((await merchant.test.get(`${path}/${data[0].id}`)).body).toEqual(data[0]);
  });

  test('stays newest first when the numbers of transactions grow a digit', async () => {
    const merchant = await app.newMerchant();
    for (const xid of ['9', '10', '11']) {
      await record(merchant);
      await app.rows(
        `update events set xid = '${xid}' where merchant_id = $1 and seq = (select max(seq) from events)`,
        [merchant.id],
      );
    }
    const ids = (await list(merchant.test)).data.map((event: { id: string }) => event.id);
    const written = await app.rows<{ id: string }>('select id from events where merchant_id = $1 order by seq desc', [
      merchant.id,
    ]);
    expect(ids).toEqual(written.map(({ id }) => id));
  });

  test('filters by type and time', async () => {
    const merchant = await app.newMerchant();
    await record(merchant, 'order.created');
    app.clock.advanceSeconds(10);
    await record(merchant, 'order.updated');
    const types = async (query: string) =>
      (await list(merchant.test, query)).data.map((event: { type: string }) => event.type);
    expect(await types('?q[type_eq]=order.created')).toEqual(['order.created']);
    expect(await types('?q[type_in]=order.created,order.updated')).toEqual(['order.updated', 'order.created']);
    expect(await types(`?q[created_at_gteq]=${app.clock.now().toISOString()}`)).toEqual(['order.updated']);
    expect(await types(`?q[created_at_lt]=${app.clock.now().toISOString()}&after=`)).toEqual(['order.created']);
    expectInvalid(
      await merchant.test.get(`${path}?q[type_eq]=order.eaten`),
      /^q\[type_eq\] must be one of order\.created, /,
    );
    expectInvalid(await merchant.test.get(`${path}?type=order.paid`), 'type is not a parameter; write q[type_eq]');
  });

  test('an unknown event is not found, nor is one of another merchant or mode', async () => {
    const merchant = await app.newMerchant();
    await createOrder(merchant.test);
    const { id } = (await list(merchant.test)).data[0];
    for (const client of [(await app.newMerchant()).test, merchant.live]) {
      expect((await client.get(`${path}/${id}`)).body.error.message).toBe('Event not found');
    }
    for (const other of ['evt_', 'x', '%00', '%F0%9F%92%A9', 'x'.repeat(3000), 'pos_1_1']) {
      expect((await merchant.test.get(`${path}/${other}`)).status).toBe(404);
    }
  });
});

describe('behind a cursor', () => {
  test('goes on oldest first, from the beginning, an event or a cursor', async () => {
    const merchant = await app.newMerchant();
    const { cursor: start } = await list(merchant.test);
    for (let n = 0; n < 7; n += 1) await record(merchant);
    const newest = (await list(merchant.test)).data.map((event: { id: string }) => event.id);
    const inOrder = newest.toReversed();

    expect((await readAll(merchant.test, '')).ids).toEqual(inOrder);
    expect((await readAll(merchant.test, start)).ids).toEqual(inOrder);
    expect((await readAll(merchant.test, start, 3)).ids).toEqual(inOrder);
    expect((await readAll(merchant.test, inOrder[2], 2)).ids).toEqual(inOrder.slice(3));

    const page = await list(merchant.test, `?after=${inOrder[1]}&per_page=2`);
    expect(page).toMatchObject({
      has_more: true,
      meta: { current_page: 1, per_page: 2, total_count: 5, next_page: null, prev_page: null },
    });
    const { ids, cursor } = await readAll(merchant.test, page.cursor);
    expect(ids).toEqual(inOrder.slice(4));
    expect(await list(merchant.test, `?after=${cursor}`)).toMatchObject({ data: [], has_more: false });
    await record(merchant);
    expect((await readAll(merchant.test, cursor)).ids).toHaveLength(1);
  });

  test('a page that is full to the last event says so', async () => {
    const merchant = await app.newMerchant();
    for (let n = 0; n < 4; n += 1) await record(merchant);
    expect(await list(merchant.test, '?after=&per_page=2')).toMatchObject({ has_more: true });
    expect(await list(merchant.test, '?after=&per_page=4')).toMatchObject({ has_more: false });
  });

  test('what is filtered out is passed by once, not looked through at every call', async () => {
    const merchant = await app.newMerchant();
    await record(merchant, 'order.created');
    await record(merchant, 'order.updated');
    const first = await list(merchant.test, '?after=&q[type_eq]=order.created');
    expect(first.data).toHaveLength(1);
    expect((await list(merchant.test, `?after=${first.cursor}`)).data).toEqual([]);
  });

  test('refuses cursors that are none, foreign ones, and pages', async () => {
    const merchant = await app.newMerchant();
    await record(merchant);
    const { id } = (await list(merchant.test)).data[0];
    const sentence =
      'after must be the id of one of your events of the last 90 days, or a cursor from a list of events';
    const other = await app.newMerchant();
    for (const after of ['evt_none', 'x', 'pos_', 'pos_-1_2', 'pos_1', id]) {
      const client = after === id ? other.test : merchant.test;
      expectInvalid(await client.get(`${path}?after=${after}`), sentence);
    }
    expectInvalid(await merchant.live.get(`${path}?after=${id}`), sentence);
    expectInvalid(await merchant.test.get(`${path}?after=a&after=b`), 'after is given more than once');
    expectInvalid(
      await merchant.test.get(`${path}?after=&page=2`),
      'page cannot be combined with after; send the last cursor instead',
    );
  });

  test('refuses a cursor that this server has not reached: it would pass by all until then', async () => {
    const merchant = await app.newMerchant();
    const { cursor } = await list(merchant.test);
    const xid = BigInt(cursor.split('_')[1]);
    for (const after of [`pos_${xid + 1_000_000n}_0`, 'pos_9999999999999999999_1']) {
      expectInvalid(
        await merchant.test.get(`${path}?after=${after}`),
        /^after is a cursor of another database, from before a restore or a move; send the id of the last event/,
      );
    }
    expect((await merchant.test.get(`${path}?after=${cursor}`)).status).toBe(200);
  });

  test.runIf(onPostgres)('waits for a transaction that began earlier and commits later', async () => {
    const merchant = await app.newMerchant();
    const scope = { merchantId: merchant.id, livemode: false };
    const fact = () => ({ kind: 'order.updated' as const, subjectId: newId(), data: {}, dedupe: newId() });
    let commit = () => {};
    let recorded = () => {};
    const isRecorded = new Promise<void>((resolve) => {
      recorded = resolve;
    });
    const slow = app.parts.db.transaction(async (tx) => {
      await recordEvents(tx, scope, [fact()], app.clock.now());
      recorded();
      await new Promise<void>((resolve) => {
        commit = resolve;
      });
    });
    await isRecorded;
    const before = await list(merchant.test, '?after=');
    await record(merchant);
    // The quick one is committed and can be seen, but nobody may step over the slow one.
    expect((await list(merchant.test)).data).toHaveLength(1);
    const between = await list(merchant.test, `?after=${before.cursor}`);
    expect(between.data).toEqual([]);
    commit();
    await slow;
    const { ids } = await readAll(merchant.test, between.cursor);
    expect(ids).toHaveLength(2);
    expect((await list(merchant.test)).data.map((event: { id: string }) => event.id)).toEqual(ids.toReversed());
  });

  test.runIf(onPostgres)('misses nothing while many write at once, and shows nothing twice', async () => {
    const merchant = await app.newMerchant();
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let n = 0; n < 25; n += 1) await record(merchant);
      }),
    ).then(() => {
      writing = false;
    });
    const seen: string[] = [];
    let cursor = '';
    while (writing || seen.length < 200) {
      const { data, cursor: next } = await list(merchant.test, `?after=${cursor}&per_page=7`);
      seen.push(...data.map((event: { id: string }) => event.id));
      cursor = next;
    }
    await writers;
    expect(seen).toHaveLength(200);
    expect(new Set(seen).size).toBe(200);
  });
});

test.runIf(onPostgres).each([false, true])(
  'what happened to one order comes as it happened, however many waited for their turn (with a key: %s)',
  async (hasKey) => {
    const merchant = await app.newMerchant();
    for (let round = 0; round < 5; round += 1) {
      const order = await createOrder(merchant.test);
      const { cursor } = await list(merchant.test);
      const url = `/api/v1/m/orders/${order.id}`;
      const changes = await whileLocked(app, 'orders', order.id, async () => {
        const sent = Array.from({ length: 6 }, (_, n) => {
          const headers = hasKey ? { 'idempotency-key': `${order.id} ${n}` } : {};
          return merchant.test.patch(url, { order: { po_number: `${n}` } }, headers);
        });
        await untilWaiting(app, sent.length);
        return sent;
      });
      await Promise.all(changes);
      const { data } = await list(merchant.test, `?after=${cursor}`);
      expect(data).toHaveLength(changes.length);
      expect(data.at(-1).data.po_number).toBe((await merchant.test.get(url)).body.po_number);
    }
  },
);

test.runIf(onPostgres)('a transaction that began earlier and had its turn later comes later', async () => {
  const merchant = await app.newMerchant();
  const scope = { merchantId: merchant.id, livemode: false };
  const { id } = await createOrder(merchant.test);
  const outside = AsyncLocalStorage.snapshot();
  await app.parts.db.transaction(async (tx) => {
    await findOrder(tx, scope, id);
    const update = { order: { po_number: 'A 1' } };
    expect((await outside(() => merchant.test.patch(`/api/v1/m/orders/${id}`, update))).status).toBe(200);
    await cancelOrder(tx, scope, id, app.clock.now());
  });
  const { data } = await list(merchant.test, '?after=');
  const told = data.map((event: { event: string; data: { status: string } }) => [event.event, event.data.status]);
  expect(told).toEqual([
    ['order.created', 'pending'],
    ['order.updated', 'pending'],
    ['order.cancelled', 'cancelled'],
  ]);
});

test('what waited for its turn at an order is not dated before what it waited for', async () => {
  const { test: client } = await app.newMerchant();
  const order = (id: string) => `/api/v1/m/orders/${id}`;
  const refund = async (orderId: string) => {
    const { body } = await client.get(`/api/v1/m/sales?q[order_id_eq]=${orderId}`);
    return client.post(`/api/v1/m/sales/${body.data[0].id}/refunds`, { refund: { amount_cents: 100 } });
  };
  const pay = (invoiceId: string) => client.post(`/api/v1/m/invoices/${invoiceId}/simulate_payment`);
  const paid = await createOrderWithInvoice(client);
  const cancelled = await createOrderWithInvoice(client);
  const acts = [
    { id: paid.id, kind: 'order.updated', act: () => client.patch(order(paid.id), { order: { po_number: 'A 1' } }) },
    { id: paid.id, kind: 'order.paid', act: () => pay(paid.invoice.id) },
    { id: paid.id, kind: 'order.refunded', act: () => refund(paid.id) },
    { id: cancelled.id, kind: 'order.cancelled', act: () => client.delete(order(cancelled.id)) },
    { id: cancelled.id, kind: 'order.attention', act: () => pay(cancelled.invoice.id) },
  ];
  for (const { id, kind, act } of acts) {
    // Another process had the order until a moment after this call came.
    const [before] = await app.rows<{ updated_at: Date }>(
      `update orders set updated_at = updated_at + interval '5 ms' where id = $1 returning updated_at`,
      [id],
    );
    expect((await act()).status).toBeLessThan(300);
    const [event] = (await list(client, `?q[type_eq]=${kind}&per_page=1`)).data;
    expect([kind, event.data.updated_at]).toEqual([kind, before!.updated_at.toISOString()]);
    expect((await client.get(order(id))).body.updated_at).toBe(event.data.updated_at);
  }
});

test('after a restore from another server no event waits for numbers that were never given', async () => {
  const { adoptEvents } = await import('../../../src/store/events.ts');
  const merchant = await app.newMerchant();
  await record(merchant);
  await app.rows(`update events set xid = '999999999999'::xid8 where merchant_id = $1`, [merchant.id]);
  expect((await list(merchant.test, '?after=')).data).toEqual([]);
  expect(await adoptEvents(app.parts.db)).toBe(1);
  expect((await readAll(merchant.test, '')).ids).toHaveLength(1);
  expect(await adoptEvents(app.parts.db)).toBe(0);
});
