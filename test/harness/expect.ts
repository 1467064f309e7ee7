import { expect } from 'vitest';
import { type ErrorCode, errorStatus } from '../../src/kernel/errors.ts';
import type { TestApp } from './app.ts';
import type { Reply } from './client.ts';

/** A UUIDv7 in lower case. */
export const anId = () =>
  expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
/** A SHA-256 or a preimage. */
export const a32ByteHex = () => expect.stringMatching(/^[0-9a-f]{64}$/);

interface ExpectedFault {
  message?: string | RegExp;
  /** All of them, in order; left out: there are none. */
  details?: readonly (string | RegExp)[];
}

const text = (expected: string | RegExp) =>
  typeof expected === 'string' ? expected : (expect.stringMatching(expected) as unknown as string);

/** The interface's error envelope and nothing beside it, with the request id in body and header. */
export function expectError(reply: Reply, code: ErrorCode, { message, details }: ExpectedFault = {}): void {
  const status = errorStatus[code];
  expect(reply.body).toEqual({
    error: {
      code,
      message: message === undefined ? expect.any(String) : text(message),
      status,
      request_id: expect.stringMatching(/^req_[0-9A-Za-z]{20}$/),
      ...(details ? { details: details.map(text) } : {}),
    },
  });
  expect(reply.status).toBe(status);
  expect(reply.headers['x-request-id']).toBe(reply.body.error.request_id);
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
}

/** 422 with exactly these sentences. */
export function expectInvalid(reply: Reply, ...details: (string | RegExp)[]): void {
  expectError(reply, 'validation_error', { message: 'Validation failed', details });
}

/** What is said of `q[…]` that a list does not have; what there is instead stands behind it. */
export const unknownFilter = (key: string): RegExp =>
  new RegExp(`^${key.replace(/[[\]().*+?^$|\\]/g, '\\$&')} is not a known filter; `);

/** Everything that money and its story are made of; what the watcher notes beside it is left out. */
export async function books(app: TestApp): Promise<Record<string, unknown[]>> {
  const [orders, invoices, payments, events] = await Promise.all([
    app.rows('select * from orders order by id'),
    app.rows(
      `select id, order_id, wallet_id, amount_sats, bolt11, expires_at, paid_at, superseded_at, metadata
         from invoices order by id`,
    ),
    app.rows('select * from payments order by id'),
    // That an invoice has expired is the watcher's to notice, whenever it looks.
    app.rows(`select id, kind, subject_id, body from events where kind <> 'invoice.expired' order by seq`),
  ]);
  return { orders, invoices, payments, events };
}

/** The kinds of a merchant's events, oldest first; with `subjectId` those about one thing. */
export async function eventKinds(app: TestApp, merchantId: string, subjectId?: string): Promise<string[]> {
  const rows = await app.rows<{ kind: string }>(
    'select kind from events where merchant_id = $1 and ($2::uuid is null or subject_id = $2::uuid) order by seq',
    [merchantId, subjectId ?? null],
  );
  return rows.map((row) => row.kind);
}

/** The bodies of a merchant's events of one kind, as webhooks get them. */
// biome-ignore lint/suspicious/noExplicitAny: tests read bodies freely, as they read answers
export async function eventBodies(app: TestApp, merchantId: string, kind: string): Promise<any[]> {
  const rows = await app.rows<{ body: string }>(
    'select body from events where merchant_id = $1 and kind = $2 order by seq',
    [merchantId, kind],
  );
  return rows.map((row) => JSON.parse(row.body));
}
