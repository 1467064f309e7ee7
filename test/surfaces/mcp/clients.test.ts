import type { AddressInfo } from 'node:net';
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolNames } from '../../../src/model/tool-names.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { mcpPath } from '../../harness/mcp.ts';

let app: TestApp;
let merchant: TestMerchant;
let address: URL;

beforeAll(async () => {
  app = await openTestApp();
  merchant = await app.newMerchant();
  await app.app.listen({ host: '127.0.0.1', port: 0 });
  address = new URL(mcpPath, `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

/** What both generations of the official client have in common. */
interface Connected {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  ping(): Promise<unknown>;
  getServerVersion(): { name: string; version: string } | undefined;
  getServerCapabilities(): unknown;
  close(): Promise<void>;
}

const self = { name: 'satline-test', version: '1.0.0' };
const withKey = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

async function oldClient(key: string): Promise<Connected> {
  const client = new OldClient(self);
  // Its own declarations are not written for `exactOptionalPropertyTypes`.
  await client.connect(new OldTransport(address, withKey(key)) as Parameters<OldClient['connect']>[0]);
  return client;
}

function newClient(mode: 'legacy' | 'auto' | undefined) {
  return async (key: string): Promise<Connected> => {
    const client = new NewClient(self, mode ? { versionNegotiation: { mode } } : {});
    await client.connect(new NewTransport(address, withKey(key)));
    return client;
  };
}

async function read(client: Connected, name: string, args: Record<string, unknown> = {}) {
  const answer = (await client.callTool({ name, arguments: args })) as {
    content: [{ type: string; text: string }];
    isError?: boolean;
  };
  return { isError: answer.isError, value: JSON.parse(answer.content[0].text) };
}

describe.each([
  ['SDK 1.x', oldClient],
  ['SDK 2.x', newClient(undefined)],
  ['SDK 2.x without negotiation', newClient('legacy')],
  ['SDK 2.x that asks for the newest first', newClient('auto')],
])('%s', (_, connect) => {
  test('shakes hands, lists, and sells to the payment', async () => {
    const client = await connect(merchant.test.key!);
    try {
      expect(client.getServerVersion()).toMatchObject({ name: 'satline', version: '1.2.1' });
      expect(client.getServerCapabilities()).toEqual({ tools: {} });
      await client.ping();
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).sort()).toEqual([...toolNames]);

      const { value: order } = await read(client, 'create_order', { amount_cents: 1200, metadata: { table: 7 } });
      expect(order.invoice.payment_request).toMatch(/^lnbcrt/);
      await merchant.test.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`);
      const status = await read(client, 'check_invoice_status', { invoice_id: order.invoice.id });
      expect(status).toMatchObject({ isError: false, value: { paid: true } });
      const refused = await read(client, 'create_order', { amount_cents: 'much' });
      expect(refused.isError).toBe(true);
      expect(refused.value.error.details).toEqual(['amount_cents must be a whole number']);
    } finally {
      await client.close();
    }
  });

  test('is shown what its key may use, and refused without one', async () => {
    const client = await connect(merchant.publishable.key!);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['create_checkout_session']);
    await client.close();
    await expect(connect('sk_test_nonsense')).rejects.toThrow();
  });
});

test('SDK 2.x that insists on a version that is not spoken here is told so', async () => {
  const client = new NewClient(self, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await expect(client.connect(new NewTransport(address, withKey(merchant.test.key!)))).rejects.toThrow();
});
