// The product's own parts, opened in this process to prepare what is measured: merchants, keys, wallets.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { productEnv, temporaryDirectory } from './product.js';

/** Loads a compiled module of the product. */
export function load(dist, module) {
  return import(pathToFileURL(join(dist, module)).href);
}

/** Opens the parts on `database`, schema included; call `close()` before the product starts. */
export async function openInside(dist, database) {
  const directory = temporaryDirectory();
  const [{ buildParts }, { readConfig }, { silentLog }, { addMerchant }, { issueApiKey }] = await Promise.all([
    load(dist, 'build-parts.js'),
    load(dist, 'config.js'),
    load(dist, 'kernel/log.js'),
    load(dist, 'flows/new-merchant.js'),
    load(dist, 'auth/api-key.js'),
  ]);
  const config = readConfig(productEnv({ database, dataDir: directory.path, port: 3000 }));
  const built = await buildParts(config, { log: silentLog, allowPrivateNetworks: true });
  const { parts } = built;

  return {
    parts,
    /** A merchant with its simulated test wallet and a secret test key. */
    async addMerchant() {
      const now = parts.clock.now();
      const request = { name: 'Bench', email: 'bench@example.com', currency: 'usd', timeZone: 'UTC' };
      return parts.db.transaction(async (tx) => {
        const { merchantId } = await addMerchant(tx, request, now);
        const scope = { merchantId, livemode: false };
        const { key } = await issueApiKey(tx, scope, { kind: 'secret', name: 'bench', rpmLimit: 1_000_000_000 }, now);
        return { id: merchantId, key: key.reveal() };
      });
    },
    /** Puts a wallet behind a lightning address in place of the merchant's simulated one. */
    async useAddress(merchant, address) {
      const { connectWallet } = await load(dist, 'flows/connect-wallet.js');
      const scope = { merchantId: merchant.id, livemode: false };
      await connectWallet(parts, scope, { lightningAddress: address }, new AbortController().signal);
      await database.query(`update wallets set enabled = false where merchant_id = $1 and connection = 'simulated'`, [
        merchant.id,
      ]);
    },
    async close() {
      await built.close();
      directory.remove();
    },
  };
}

/** What every order that is created here looks like. */
export const newOrder = {
  order: {
    total_amount_cents: 1250,
    items: [{ name: 'Espresso and a croissant', price_cents: 1250, qty: 1 }],
    metadata: { table: '12' },
  },
};
