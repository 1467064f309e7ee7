// One merchant on a product of its own: what most rows measure.
import { createDatabase } from './database.js';
import { openInside } from './inside.js';
import { startProduct } from './product.js';

/** @param settings what `startProduct()` takes besides. `close()` stops the product and drops its database. */
export async function openShop({ dist, ...settings }) {
  const database = await createDatabase();
  const inside = await openInside(dist, database);
  const merchant = await inside.addMerchant();
  await inside.close();
  const product = await startProduct({ dist, database, ...settings });
  return {
    database,
    merchant,
    product,
    async close() {
      await product.stop();
      await database.drop();
    },
  };
}
