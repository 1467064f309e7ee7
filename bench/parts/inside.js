// The product's own parts, opened in this process to prepare what is measured: merchants, keys, wallets.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { productEnv, temporaryDirectory } from './product.js';

const roomyPlan = `
  insert into plans (slug, name, description, price_cents, per_api_key_per_minute, delivery_per_order_per_hour, position,
                     is_public)
  values ('bench', 'Bench', '', 0, 1000000000, 1000000000, 9, false)
  on conflict do nothing`;

/**
 * Loads a compiled module of the product.
 * @template {keyof import('./product-modules.d.ts').ProductModules} Name
 * @param {string} dist
 * @param {Name} module
 * @returns {Promise<import('./product-modules.d.ts').ProductModules[Name]>}
 */
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
      const merchant = await parts.db.transaction(async (tx) => {
        const { merchantId } = await addMerchant(tx, request, now);
        const scope = { merchantId, livemode: false };
        const { key } = await issueApiKey(tx, scope, { kind: 'secret', name: 'bench', rpmLimit: 1_000_000_000 }, now);
        return { id: merchantId, key: key.reveal() };
      });
      // Requests are counted as everybody's are, towards a limit that no round reaches.
      await database.query(roomyPlan);
      await database.query(`update merchants set plan_slug = 'bench' where id = $1`, [merchant.id]);
      return merchant;
    },
    /** Puts a wallet behind a lightning address in place of the merchant's simulated one. */
    async useAddress(merchant, address) {
      const { connectWallet } = await load(dist, 'flows/connect-wallet.js');
      const scope = { merchantId: merchant.id, livemode: false };
      await connectWallet(parts, scope, { connection: address }, new AbortController().signal);
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
