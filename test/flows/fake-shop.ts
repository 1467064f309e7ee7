import type { WalletRow } from '../../src/model/wallet.ts';
import type { TestApp, TestMerchant } from '../harness/app.ts';
import type { Client, Reply } from '../harness/client.ts';
import { FakeWallet, withWallets } from '../harness/fake-wallet.ts';
import { orderBody } from '../harness/orders.ts';
import { addWallet } from '../harness/wallets.ts';

/** A merchant with wallets whose every answer a test decides, on the app of that test. */
export interface FakeShop {
  merchant: TestMerchant;
  client: Client;
  /** Connects these in line order, in place of those before them and of the simulated one every merchant starts with. */
  connect(...members: Partial<WalletRow>[]): Promise<{ ids: string[]; fakes: FakeWallet[] }>;
  /** An order with its invoice. */
  create(order?: Record<string, unknown>): Promise<Reply>;
  /** A wallet as the API shows it. */
  health(walletId: string): Promise<Reply['body']>;
  /** Lets a watcher run until `close`. */
  watch(): void;
  close(): Promise<void>;
}

export async function openFakeShop(app: TestApp): Promise<FakeShop> {
  const wallets = new Map<string, FakeWallet>();
  const faked = await withWallets(app, (row) => wallets.get(row.id)!.connector);
  const merchant = await app.newMerchant();
  const client = faked.client(merchant);
  return {
    merchant,
    client,
    async connect(...members) {
      await app.rows('update wallets set enabled = false where merchant_id = $1', [merchant.id]);
      const ids: string[] = [];
      for (const [index, wallet] of members.entries()) {
        ids.push(await addWallet(app, merchant, { position: index + 2, ...wallet }));
      }
      const fakes = ids.map(() => new FakeWallet(app.clock));
      for (const [index, id] of ids.entries()) wallets.set(id, fakes[index]!);
      return { ids, fakes };
    },
    create: (order = {}) => client.post('/api/v1/m/orders', orderBody(order, { generate_invoice: true })),
    health: async (id) => (await client.get(`/api/v1/m/wallets/${id}`)).body,
    watch: () => faked.watch(),
    close: () => faked.close(),
  };
}
