import { describe, expect, test } from 'vitest';
import { isUuid, newId, randomBase62, randomLegible } from '../../src/kernel/ids.ts';

describe('ids', () => {
  test('are lower-case UUIDv7, all different, and rise as they are made', () => {
    const ids = Array.from({ length: 5000 }, newId);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(ids);
  });

  test('carry the moment they were made', () => {
    const millis = Number.parseInt(newId().replaceAll('-', '').slice(0, 12), 16);
    expect(Math.abs(Date.now() - millis)).toBeLessThan(5000);
  });
});

describe('recognising a UUID', () => {
  const id = '01900000-0000-7000-8000-00000000000a';

  test.each([id, id.toUpperCase(), '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])(
    '%s',
    (text) => {
      expect(isUuid(text)).toBe(true);
    },
  );

  test.each([
    '',
    'x',
    id.slice(1),
    `${id}0`,
    ` ${id}`,
    `${id}\n`,
    `{${id}}`,
    `urn:uuid:${id}`,
    id.replaceAll('-', ''),
    id.replace('a', 'g'),
    id.replace('0', '٠'),
    '01900000-0000-7000-8000_00000000000a',
  ])('not %j', (text) => {
    expect(isUuid(text)).toBe(false);
  });
});

describe('random text', () => {
  test.each([0, 1, 20, 22, 40, 300])('of %i characters', (length) => {
    expect(randomBase62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
  });

  test.each([
    [randomBase62, 62],
    [randomLegible, 31],
  ])('never comes twice, and uses every character about equally: %o', (random, characters) => {
    const counts = new Map<string, number>();
    const texts = Array.from({ length: characters * 40 }, () => random(25));
    for (const character of texts.join('')) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(new Set(texts).size).toBe(texts.length);
    expect(counts.size).toBe(characters);
    // 1,000 of each expected; six standard deviations are about 190.
    for (const [character, count] of counts)
      expect([character, Math.abs(count - 1000) < 200]).toEqual([character, true]);
  });
});
