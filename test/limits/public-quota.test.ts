import { describe, expect, test } from 'vitest';
import { networkOf } from '../../src/limits/network-of.ts';
import { createPublicQuota, type QuotaRequest } from '../../src/limits/public-quota.ts';
import { createStreamSlots } from '../../src/limits/stream-slots.ts';

const start = new Date('2027-03-01T10:00:00.000Z');
let subjects = 0;
const ask = (members: Partial<QuotaRequest> = {}, seconds = 0): QuotaRequest => ({
  kind: 'invoice',
  merchantId: 'm',
  address: '203.0.113.7',
  subject: `s${subjects++}`,
  now: new Date(start.getTime() + seconds * 1000),
  lifeSeconds: 900,
  ...members,
});

describe('what strangers may open', () => {
  test('30 a minute from one address at one merchant; others are not touched', () => {
    const quota = createPublicQuota();
    for (let n = 0; n < 30; n++) expect(quota.take(ask({}, n))).toBe(0);
    expect(quota.take(ask({}, 30))).toBe(30);
    expect(quota.take(ask({ merchantId: 'other' }, 30))).toBe(0);
    expect(quota.take(ask({ address: '203.0.113.8' }, 30))).toBe(0);
    expect(quota.take(ask({ kind: 'checkout' }, 30))).toBe(0);
    expect(quota.take(ask({}, 60))).toBe(0);
  });

  test('100 open at once, until one is over or given back', () => {
    const quota = createPublicQuota();
    const first = ask();
    expect(quota.take(first)).toBe(0);
    for (let n = 1; n < 100; n++) expect(quota.take(ask({}, n * 3))).toBe(0);
    expect(quota.take(ask({}, 400))).toBe(500);
    quota.giveBack(first);
    expect(quota.take(ask({}, 400))).toBe(0);
    expect(quota.take(ask({}, 401))).toBeGreaterThan(0);
    expect(quota.take(ask({}, 904))).toBe(0);
  });

  test('one checkout has one place, and what asks for it together is counted once', () => {
    const quota = createPublicQuota();
    for (let n = 0; n < 500; n++) expect(quota.take(ask({ subject: 'same' }, n / 1000))).toBe(0);
    for (let n = 0; n < 29; n++) expect(quota.take(ask({}, 1))).toBe(0);
    expect(quota.take(ask({ subject: 'same' }, 1))).toBe(0);
    // It failed and is tried again and again: that counts.
    expect(quota.take(ask({ subject: 'same' }, 10))).toBeGreaterThan(0);
  });
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('streams are limited for each holder and in all, and a place is held until the stream ends', () => {
  const slots = createStreamSlots(5, 2, 3);
  const first = new AbortController();
  const take = (...holders: string[]) => slots.take(new AbortController().signal, ...holders);
  expect(slots.take(first.signal, 'session a', 'address 1')).toBe(true);
  expect(take('session a', 'address 1')).toBe(true);
  expect(take('session a', 'address 2')).toBe(false);
  expect(take('session b', 'address 1')).toBe(true);
  expect(take('session c', 'address 1')).toBe(false);
  expect(take('session c', 'address 2')).toBe(true);
  // Over before it began: it holds nothing.
  expect(slots.take(AbortSignal.abort(), 'session d', 'address 3')).toBe(true);
  expect(take('session d', 'address 3')).toBe(true);
  expect(take('session e', 'address 4')).toBe(false);
  first.abort();
  expect(take('session e', 'address 4')).toBe(true);
  expect(take('session f', 'address 5')).toBe(false);
});
