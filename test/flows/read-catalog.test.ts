import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCatalog } from '../../src/flows/read-catalog.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { createProduct } from '../harness/catalog.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let app: TestApp;
let merchant: TestMerchant;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

async function load(withCodes = true) {
  const view = { merchantId: merchant.id, livemode: false, payUrl: 'https://pay.example', withCodes };
  return (await readCatalog(app.parts.db, view)).load();
}

test('is made once while nothing changes, for each of those who see different things', async () => {
  await createProduct(merchant.test);
  const [codes, plain] = [await load(), await load(false)];
  expect(await load()).toBe(codes);
  expect(await load(false)).toBe(plain);
  expect(plain).not.toBe(codes);
  await createProduct(merchant.test);
  expect((await load()).catalog_version).not.toBe(codes.catalog_version);
});

test('of a catalog that changes only the newest version is kept', async () => {
  const old = new WeakRef(await load());
  await createProduct(merchant.test);
  const newest = new WeakRef(await load());
  await nextTurn();
  collectGarbage();
  expect([old.deref() === undefined, newest.deref() === undefined]).toEqual([true, false]);
});
