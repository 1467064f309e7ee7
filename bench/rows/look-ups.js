// How often a polled wallet is asked per paid invoice. Payers pay after 8 s to 14 min; the plan that the product keeps is
// run through for each, with somebody watching the screen and without, and the first seconds are checked against a wallet.
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../parts/database.js';
import { load, newOrder, openInside } from '../parts/inside.js';
import { call, post } from '../parts/load.js';
import { startProduct } from '../parts/product.js';
import { startWallet } from '../parts/wallet-process.js';

const invoices = 8;
const watchedSeconds = 9;
const paidAfterSeconds = [8, 12, 15, 18, 20, 25, 30, 35, 40, 45, 50, 60, 75, 90, 120, 180, 240, 420, 600, 840];

export async function lookUps({ builds }) {
  const lines = [];
  for (const { name, dist } of builds) {
    const { nextLookAt } = await load(dist, 'flows/look-plan.js');
    const mean = (watched) =>
      paidAfterSeconds.reduce((sum, paid) => sum + planned(nextLookAt, paid, watched), 0) / paidAfterSeconds.length;
    const seen = await asked(dist);
    const expected = planned(nextLookAt, watchedSeconds, false) - 1;
    lines.push({
      what: `look-ups per paid invoice, payer watching${name}`,
      value: mean(true),
      atMost: true,
      wanted: 60,
      stretch: 40,
      figures:
        `${mean(false).toFixed(1)} without a watcher; a wallet saw ${seen.toFixed(1)} per invoice in ` +
        `${watchedSeconds} s, the plan says ${expected}`,
    });
  }
  return lines;
}

/** Look-ups until one comes after the payment, that one included. */
function planned(nextLookAt, paidAfter, watched) {
  const at = (seconds) => new Date(seconds * 1000);
  const invoice = {
    created_at: at(0),
    expires_at: at(900),
    bolt11_expires_at: at(900),
    watch_until: at(900 + 8 * 24 * 3600),
    superseded_at: null,
  };
  let now = at(2);
  for (let looks = 1; ; looks++) {
    if (now >= at(paidAfter)) return looks;
    now = nextLookAt({ ...invoice, viewed_at: watched ? now : null }, now);
  }
}

/** Look-ups per invoice that a wallet sees of the running product in the first seconds. */
async function asked(dist) {
  const database = await createDatabase();
  const inside = await openInside(dist, database);
  const merchant = await inside.addMerchant();
  const wallet = await startWallet(dist, 0, 1000);
  await inside.useAddress(merchant, wallet.address);
  await inside.close();
  const product = await startProduct({ dist, database });
  try {
    const hashes = [];
    for (let index = 0; index < invoices; index++) {
      const order = { ...newOrder, generate_invoice: true };
      const { body } = await call(product.url, post('/api/v1/m/orders', merchant.key, order));
      hashes.push(body.invoice.payment_hash);
    }
    await sleep(watchedSeconds * 1000);
    const looks = await wallet.looks();
    return hashes.reduce((sum, hash) => sum + looks[hash].length, 0) / hashes.length;
  } finally {
    await product.stop();
    await wallet.stop();
    await database.drop();
  }
}
