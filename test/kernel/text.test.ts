import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findTextFault } from '../../src/kernel/text.ts';

const broken = 'has a NUL or a broken character';
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

describe('text that can be stored', () => {
  test.each([
    null,
    undefined,
    7,
    true,
    '',
    'plain',
    '🤷🏽‍♀️',
    '\u0001\u001f\u007f\ufffe\uffff',
    ['a', ['b']],
    { a: { b: [null, 1, 'c'] } },
    nested(64),
  ])('%j', (value) => {
    expect(findTextFault(value)).toBeUndefined();
  });
});

describe('text that cannot', () => {
  test.each([
    ['\u0000', [], broken],
    ['a\u0000', [], broken],
    ['\ud83d', [], broken],
    ['\ude00\ud83d', [], broken],
    [{ a: '\ud83d' }, ['a'], broken],
    [{ a: [1, { b: 'x\u0000' }] }, ['a', '1', 'b'], broken],
    [['ok', '\udc00'], ['1'], broken],
    [{ '\u0000': 1 }, [], 'has a key with a NUL or a broken character'],
    [{ a: { '\ud800': 1 } }, ['a'], 'has a key with a NUL or a broken character'],
    [nested(66), Array(65).fill('a'), 'is nested more than 64 levels deep'],
  ])('%j', (value, path, predicate) => {
    expect(findTextFault(value)).toEqual({ path, predicate });
  });

  test('a place that is told is a place that can be told', () => {
    const value = { ok: { '\u0000': '\u0000' } };
    expect(findTextFault(value)!.path.every((part) => part.isWellFormed() && !part.includes('\u0000'))).toBe(true);
  });

  test('100,000 levels are refused without falling over', () => {
    expect(findTextFault(JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))!.predicate).toMatch(/64 levels/);
  });
});

describe('properties', () => {
  const json = fc.jsonValue({ maxDepth: 6 });

  test('agrees with what survives UTF-8 and has no NUL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const survives = Buffer.from(text, 'utf8').toString('utf8') === text && !text.includes('\u0000');
        expect(findTextFault(text) === undefined).toBe(survives);
      }),
      { numRuns: 500 },
    );
  });

  test('one bad text is found wherever it is put', () => {
    fc.assert(
      fc.property(json, fc.string(), fc.constantFrom('\u0000', '\ud800', 'x\udc00'), (value, key, bad) => {
        fc.pre(key.isWellFormed() && !key.includes('\u0000') && key !== '__proto__');
        expect(findTextFault({ value, [key]: { deep: [bad] } })).toBeDefined();
        expect(findTextFault([value, bad])).toBeDefined();
      }),
    );
  });
});
