import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoiceStatusSql } from '../../src/store/invoice-status.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { createOrderWithInvoice } from '../harness/orders.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const fates = ['left alone', 'superseded', 'cancelled', 'paid', 'paid late', 'paid after being superseded'] as const;
type Fate = (typeof fates)[number];
type Status = 'pending' | 'paid' | 'expired';

interface Made {
  orderId: string;
  invoiceId: string;
  fate: Fate;
}

/** Makes an invoice and lets happen to it what happens before it runs out. */
async function make({ test: client }: TestMerchant, fate: Fate): Promise<Made> {
  const order = await createOrderWithInvoice(client);
  const path = `/api/v1/m/orders/${order.id}`;
  if (fate === 'superseded' || fate === 'paid after being superseded') {
    await client.patch(path, { order: { total_amount_cents: 700 } });
  }
  if (fate === 'cancelled') await client.delete(path);
  if (fate === 'paid' || fate === 'paid after being superseded') {
    await client.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`);
  }
  return { orderId: order.id, invoiceId: order.invoice.id, fate };
}

/** What the documentation says the status is. */
function expected(fate: Fate, isPastEnd: boolean, wasPaidLate: boolean): Status {
  if (fate === 'paid' || fate === 'paid after being superseded' || wasPaidLate) return 'paid';
  return fate === 'superseded' || fate === 'cancelled' || isPastEnd ? 'expired' : 'pending';
}

test('shape, filter and every door agree on what an invoice is, to the millisecond', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 5 }),
      fc.constantFrom(-900_000, -1000, -1, 0, 1, 1000, 86_400_000),
      async (wanted, millisPastEnd) => {
        const merchant = await app.newMerchant();
        const { test: client } = merchant;
        // BOLT11 counts whole seconds: made within one, an invoice ends a little before its 15 minutes are over.
        app.clock.set(new Date(Math.ceil(app.clock.now().getTime() / 1000) * 1000));
        const made: Made[] = [];
        for (const fate of wanted) made.push(await make(merchant, fate));
        const end = app.clock.now().getTime() + 900_000;
        app.clock.set(new Date(end + millisPastEnd));
        // Nobody watches here, so that nothing but the clock moves; the status view need not wait for a look.
        await app.rows('update invoices set last_look_at = $1', [app.clock.now()]);
        const late = millisPastEnd >= 1;
        for (const { fate, invoiceId } of made) {
          if (fate === 'paid late' && late) await client.post(`/api/v1/m/invoices/${invoiceId}/simulate_payment`);
        }

        const { body: list } = await client.get(
          '/api/v1/m/orders?expand=invoice&per_page=100&q[status_not_eq]=refunded',
        );
        const { body: payments } = await client.get('/api/v1/m/payments?per_page=100');
        for (const { fate, orderId, invoiceId } of made) {
          const status = expected(fate, millisPastEnd >= 0, fate === 'paid late' && late);
          const { body: invoice } = await client.get(`/api/v1/m/invoices/${invoiceId}`);
          expect([fate, millisPastEnd, invoice.status]).toEqual([fate, millisPastEnd, status]);
          expect(invoice.expired).toBe(status === 'expired');
          expect(invoice.paid_at !== null).toBe(status === 'paid');
          expect(invoice.time_until_expiry).toBe(status === 'pending' ? Math.ceil(-millisPastEnd / 1000) : 0);
          expect(Number.isInteger(invoice.time_until_expiry)).toBe(true);

          const { order: _, ...plain } = invoice;
          const { body: view } = await client.get(`/api/v1/m/invoices/${invoiceId}/status`);
          const { body: order } = await client.get(`/api/v1/m/orders/${orderId}?expand=invoice`);
          expect(view).toMatchObject({ status, paid: status === 'paid', expired: status === 'expired' });
          expect(order.invoice).toEqual(plain);
          const listed = list.data.find(({ id }: { id: string }) => id === orderId);
          if (listed) expect(listed.invoice).toEqual(plain);
          const paid = payments.data.filter(({ invoice_id }: { invoice_id: string }) => invoice_id === invoiceId);
          expect(paid).toHaveLength(status === 'paid' ? 1 : 0);
          if (status === 'paid') expect(paid[0].invoice).toEqual(plain);
          await expectFilterToAgree(invoiceId, status);
        }
      },
    ),
    { numRuns: 15 },
  );
}, 120_000);

/** A list that filtered by status would use the same expression in its `where`. */
async function expectFilterToAgree(invoiceId: string, status: Status): Promise<void> {
  for (const asked of ['pending', 'paid', 'expired']) {
    const rows = await app.rows(
      `select i.id from invoices i where i.id = $2 and (${invoiceStatusSql('i', '$1')}) = $3`,
      [app.clock.now(), invoiceId, asked],
    );
    expect([asked, rows.length]).toEqual([asked, asked === status ? 1 : 0]);
  }
}
