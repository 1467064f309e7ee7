import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { jsonWriter } from '../../src/operation/json-writer.ts';

const merchant = Type.Object({ name: Type.String(), wallets: Type.Array(Type.String()) });
const order = Type.Object({ id: Type.String(), total: Type.Integer(), merchant: Type.Optional(merchant) });
const plain = jsonWriter(order);
const sharing = jsonWriter(order, 'merchant');

test('a shared member makes no difference to what is written', () => {
  const shop = { name: 'Café "Ü" \u2028', wallets: ['a', 'b'], secret: 'never leaves' };
  for (const value of [
    { id: '1', total: 5, merchant: shop },
    { id: '2', total: 6, merchant: shop },
    { id: '3', total: 7, merchant: { name: 'another', wallets: [] } },
    { id: '4', total: 8 },
    { id: '5', total: 9, merchant: undefined },
  ]) {
    const { text, quoted } = sharing.write(value);
    expect(text).toBe(plain.write(value).text);
    expect(quoted()).toBe(JSON.stringify(text));
    expect(plain.write(value).quoted()).toBe(JSON.stringify(text));
    expect(text).not.toContain('secret');
  }
});

test('a shared member is written once per object, and checked each time', () => {
  let looks = 0;
  const shop = {
    wallets: [],
    get name() {
      looks++;
      return 'shop';
    },
  };
  sharing.write({ id: '1', total: 5, merchant: shop });
  const once = looks;
  expect(once).toBeGreaterThan(0);
  sharing.write({ id: '2', total: 5, merchant: shop });
  expect(looks).toBe(once);
  expect(sharing.check({ id: '1', total: 5, merchant: { name: 'shop' } })).toContain('wallets');
  expect(sharing.check({ id: '1', total: 5, merchant: { name: 'shop', wallets: [] } })).toBeUndefined();
});
