import { afterEach, expect, test, vi } from 'vitest';
import { rememberFound } from '../../src/auth/recently-found.ts';

afterEach(() => vi.restoreAllMocks());

function counting(known: ReadonlySet<string>) {
  const asked: string[] = [];
  const found = rememberFound(async (credential) => {
    asked.push(credential);
    if (!known.has(credential)) throw new Error('not known');
    return { of: credential };
  }, 1000);
  return { asked, found };
}

test('who is remembered is told at once, for as long as is trusted and not longer', async () => {
  const { asked, found } = counting(new Set(['a']));
  const first = await found.find('a');
  expect(found.find('a')).toBe(first);
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 900);
  expect(found.find('a')).toBe(first);
  clock.mockReturnValue(now + 1000);
  expect(await found.find('a')).not.toBe(first);
  expect(asked).toEqual(['a', 'a']);
});

test('those who ask meanwhile share the question', async () => {
  const { asked, found } = counting(new Set(['a']));
  const [one, other] = await Promise.all([found.find('a'), found.find('a')]);
  expect(one).toBe(other);
  expect(asked).toEqual(['a']);
});

test('a guess is never remembered, and is known the moment that it is true', async () => {
  const known = new Set<string>();
  const { asked, found } = counting(known);
  await expect(found.find('b')).rejects.toThrow('not known');
  known.add('b');
  expect(await found.find('b')).toEqual({ of: 'b' });
  expect(asked).toEqual(['b', 'b']);
});

test('what is forgotten while it is asked for is asked for again', async () => {
  const { asked, found } = counting(new Set(['a']));
  const before = found.find('a');
  found.forget();
  expect(await found.find('a')).not.toBe(await before);
  expect(asked).toEqual(['a', 'a']);
});
