import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { createToolCallLog } from '../../src/flows/tool-call-log.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

/** A database that does what it was asked, and whose connection breaks before the first answer. */
function losingFirstAnswer(db: Database): Database {
  let isLost = false;
  return {
    ...db,
    async run(statement, values) {
      const count = await db.run(statement, values);
      if (isLost) return count;
      isLost = true;
      throw new Error('connection lost');
    },
  };
}

test('calls whose writing was not answered are written again, and stand there once', async () => {
  const { id } = await app.newMerchant();
  const log = createToolCallLog(losingFirstAnswer(app.parts.db), app.parts.log);
  const caller = { merchantId: id, livemode: false, credentialId: id } as Parameters<typeof log.note>[0];
  log.note(caller, 'get_order', true, app.clock.now());
  await expect(log.flush()).rejects.toThrow('connection lost');
  log.note(caller, 'get_merchant', false, app.clock.now());
  await log.flush();
  const rows = await app.rows('select tool, success from tool_calls where merchant_id = $1 order by tool', [id]);
  expect(rows).toEqual([
    { tool: 'get_merchant', success: false },
    { tool: 'get_order', success: true },
  ]);
});

test('calls of several merchants, modes and keys that are written together are each their own', async () => {
  const [one, other] = [await app.newMerchant(), await app.newMerchant()];
  const log = createToolCallLog(app.parts.db, app.parts.log);
  const callers = [
    { merchantId: one.id, livemode: false, credentialId: one.test.id },
    { merchantId: other.id, livemode: false, credentialId: other.test.id },
    { merchantId: one.id, livemode: true, credentialId: one.live.id },
  ] as Parameters<typeof log.note>[0][];
  for (const [index, tool] of ['get_order', 'say "hi" {\\}', 'list_orders', 'NULL', 'get_order'].entries()) {
    log.note(callers[index % 3]!, tool, index % 2 === 0, app.clock.now());
  }
  await log.flush();
  const rows = await app.rows(
    'select merchant_id, livemode, credential_id, tool, success from tool_calls where merchant_id = any($1) order by id',
    [[one.id, other.id]],
  );
  const row = (index: number, tool: string, success: boolean) => {
    const { merchantId, livemode, credentialId } = callers[index]!;
    return { merchant_id: merchantId, livemode, credential_id: credentialId, tool, success };
  };
  expect(rows).toEqual([
    row(0, 'get_order', true),
    row(1, 'say "hi" {\\}', false),
    row(2, 'list_orders', true),
    row(0, 'NULL', false),
    row(1, 'get_order', true),
  ]);
});
