import { expect } from 'vitest';
import { openTestApp } from '../harness/app.ts';
import type { TestDatabase } from '../harness/database.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import type { Till } from './till.ts';

/** Everything the till was told is in the books exactly once, and nothing is there that it did not ask for. */
export async function expectBooksToMatch(database: TestDatabase, till: Till): Promise<void> {
  const books = await openTestApp({ database: { ...database, drop: async () => {} }, watch: false });
  try {
    const orders = await books.rows<{ id: string; po_number: string; status: string }>(
      'select id, po_number, status from orders',
    );
    expect(orders.length).toBe(till.made.size);
    expect(orders.filter(({ id, po_number }) => till.made.get(po_number)?.id !== id)).toEqual([]);
    expect(orders.filter(({ status }) => status !== 'paid')).toEqual([]);
    const payments = await books.rows<{ id: string; order_id: string; kind: string }>(
      'select id, order_id, kind from payments',
    );
    expect(payments.length).toBe(orders.length);
    const lightning = payments.filter(({ kind }) => kind === 'lightning');
    expect(lightning.filter(({ id, order_id }) => till.paid.get(order_id) !== id)).toEqual([]);
    expect(lightning.length).toBe(till.paid.size);
    await expectLedgerToHold(books);
  } finally {
    await books.close();
  }
}
