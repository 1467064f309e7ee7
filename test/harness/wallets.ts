import { newId } from '../../src/kernel/ids.ts';
import type { WalletRow } from '../../src/model/wallet.ts';
import { insertWallet } from '../../src/store/wallets.ts';
import { LnurlServer } from '../support/lnurl-server.ts';
import type { TestApp, TestMerchant } from './app.ts';
import { createOrderWithInvoice } from './orders.ts';

/** Connects a wallet without asking it anything. Simulated and in test mode, last in line, unless members say otherwise. */
export async function addWallet(
  app: TestApp,
  merchant: TestMerchant,
  members: Partial<Omit<WalletRow, 'broken' | 'is_default'>> = {},
): Promise<string> {
  const now = app.clock.now();
  const id = newId();
  await insertWallet(app.parts.db, {
    id,
    merchant_id: merchant.id,
    livemode: false,
    name: 'Second wallet',
    connection: 'simulated',
    lightning_address: null,
    credentials: null,
    settings: {},
    enabled: true,
    position: 2,
    max_payment_sats: null,
    min_sats: 1,
    max_sats: null,
    settlement_visibility: 'proof',
    notes: [],
    takes_preimages: false,
    last_checked_at: null,
    last_transaction_at: null,
    last_error: null,
    consecutive_failures: 0,
    created_at: now,
    updated_at: now,
    ...members,
  });
  return id;
}

/** Changes columns of a wallet; the adapter is opened anew. */
export async function changeWallet(app: TestApp, id: string, change: Partial<WalletRow>): Promise<void> {
  const columns = Object.entries(change);
  const assignments = columns.map(([name], index) => `${name} = $${index + 2}`).join(', ');
  const values = columns.map(([name, value]) => (name === 'settings' ? JSON.stringify(value) : value));
  await app.rows(
    `update wallets set ${assignments}, updated_at = updated_at + interval '1 millisecond' where id = $1`,
    [id, ...values],
  );
}

/** The id of a merchant's simulated wallet. */
export async function testWalletId(app: TestApp, merchant: TestMerchant): Promise<string> {
  const [row] = await app.rows<{ id: string }>(
    'select id from wallets where merchant_id = $1 and not livemode order by position, id limit 1',
    [merchant.id],
  );
  return row!.id;
}

export interface LiveWallet {
  server: LnurlServer;
  /** Makes a live order with an open invoice of this wallet. @returns the invoice's id. */
  invoiceFor(merchant: TestMerchant): Promise<string>;
  close(): Promise<void>;
}

/** A lightning address on loopback that serves mainnet invoices; merchants get it as their live wallet on first use. */
export async function addLiveWallet(app: TestApp): Promise<LiveWallet> {
  const server = await LnurlServer.start(app.clock);
  server.behaviour = { network: 'mainnet' };
  const connected = new Set<string>();
  return {
    server,
    async invoiceFor(merchant) {
      if (!connected.has(merchant.id)) {
        const connection = { connection: 'lightning_address' as const, lightning_address: server.address };
        await addWallet(app, merchant, { ...connection, livemode: true, name: 'Live wallet', position: 1 });
        connected.add(merchant.id);
      }
      return (await createOrderWithInvoice(merchant.live)).invoice.id;
    },
    close: () => server.stop(),
  };
}
