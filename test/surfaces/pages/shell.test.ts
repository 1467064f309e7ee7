import { describe, expect, test } from 'vitest';
import { figuresOf } from '../../../src/surfaces/pages/figures.ts';
import { newNonce, pageHeaders } from '../../../src/surfaces/pages/headers.ts';
import { inlineJson } from '../../../src/surfaces/pages/inline-json.ts';
import { chooseLanguage, dictionaryOf, languages } from '../../../src/surfaces/pages/language.ts';

describe('the language of a page', () => {
  test.each([
    [undefined, undefined, 'en'],
    ['de', 'fr', 'de'],
    ['tlh', 'fr-CA,en;q=0.8', 'fr'],
    [['de', 'fr'], 'es', 'es'],
    [undefined, 'de-AT;q=0.5, ja', 'ja'],
    [undefined, 'pt', 'pt-BR'],
    ['PT_br', undefined, 'pt-BR'],
    [undefined, 'de;q=0, es;q=0.1', 'es'],
    [undefined, 'zh-Hant, *', 'en'],
    [undefined, `${'x,'.repeat(5000)}de`, 'en'],
  ])('asked %j, preferred %j: %s', (asked, accepted, expected) => {
    expect(chooseLanguage(asked, accepted)).toBe(expected);
  });

  test('every sentence is there in every language, and takes its values', () => {
    const sentences = (words: object, path = ''): [string, string][] =>
      Object.entries(words).flatMap(([name, value]) =>
        typeof value === 'object'
          ? sentences(value, `${path}${name}.`)
          : [[`${path}${name}`, typeof value === 'function' ? value('«A»', '«B»') : value] as [string, string]],
      );
    const english = sentences(dictionaryOf('en'));
    for (const language of languages) {
      const own = sentences(dictionaryOf(language));
      expect(own.map(([name]) => name)).toEqual(english.map(([name]) => name));
      for (const [name, text] of own) {
        expect([language, name, text.trim()]).not.toEqual([language, name, '']);
        const wanted = english.find(([one]) => one === name)![1].includes('«A»');
        expect([language, name, text.includes('«A»')]).toEqual([language, name, wanted]);
      }
    }
  });

  test('keep a name or an amount that runs the other way apart from the sentence', () => {
    const [en, ar] = [dictionaryOf('en'), dictionaryOf('ar')];
    expect(en.backTo('Café “1”')).toBe('Back to Café “1”');
    expect(en.backTo('مقهى')).toBe('Back to \u2068مقهى\u2069');
    expect(ar.link.payNow('24.50\u00a0US$')).toContain('\u206824.50\u00a0US$\u2069');
    expect(ar.taxAt('VAT', '8.25%')).toContain('\u2068VAT\u2069 8.25');
    // An override, with what would end its isolate.
    expect(en.taxAt('\u2069\u202eTAV', '8.25%')).toBe('TAV 8.25%');
  });

  test('Arabic counts minutes in its own forms', () => {
    const { minutesLeft } = dictionaryOf('ar').checkout;
    expect(new Set([1, 2, 5].map((minutes) => minutesLeft(minutes).replace(/\d+/, ''))).size).toBe(3);
  });
});

describe('figures', () => {
  test('are exact, with the decimals of the currency and Latin digits', () => {
    expect(figuresOf('en').money(9007199254740991, 'usd')).toBe('$90,071,992,547,409.91');
    expect(figuresOf('en').money(500, 'jpy')).toBe('¥500');
    expect(figuresOf('de').money(1234, 'kwd')).toBe('1,234\u00a0KWD');
    expect(figuresOf('ar').money(2450, 'usd')).toBe('24.50\u00a0US$');
    expect(figuresOf('de').sats(24137)).toBe('24.137 sats');
    expect(figuresOf('en').decimalMoney('101503.22', 'usd')).toBe('$101,503.22');
  });

  test('a percentage is written as the language writes it', () => {
    expect(figuresOf('en').percent('8.25')).toBe('8.25%');
    expect(figuresOf('de').percent('8.2567')).toBe('8,2567\u00a0%');
    expect(figuresOf('fr').percent('7.0')).toMatch(/^7\s%$/);
    expect(figuresOf('ar').percent('7.0')).toBe('7%');
  });

  test('a dinar keeps its last dot where its letters are', () => {
    expect(figuresOf('ar').money(12500, 'kwd')).toBe('12.500\u00a0د.ك.\u200f');
  });

  test('times are those of the zone that is asked for', () => {
    const at = new Date('2026-11-27T23:30:00.000Z');
    expect(figuresOf('de').time(at, 'Europe/Berlin')).toContain('28');
    expect(figuresOf('de').time(at, 'UTC', true)).toContain('UTC');
  });
});

describe('headers', () => {
  const policy = (options: Partial<Parameters<typeof pageHeaders>[0]> = {}) =>
    pageHeaders({ nonce: 'abc', ...options })['content-security-policy']!;

  test('allow what carries the nonce, and no frame', () => {
    expect(policy()).toContain("script-src 'nonce-abc'");
    expect(policy()).toContain("frame-ancestors 'none'");
    expect(policy()).not.toMatch(/unsafe|\*/);
    expect(newNonce()).not.toBe(newNonce());
  });

  test('name exact origins only; nothing that could open another directive gets in', () => {
    const frameOrigins = [
      'https://shop.example',
      'http://localhost:3000',
      "https://x.example; script-src 'unsafe-inline'",
      '*',
      'https:',
    ];
    expect(policy({ frameOrigins })).toMatch(/frame-ancestors https:\/\/shop\.example http:\/\/localhost:3000$/);
    const formOrigins = ['cursor:', 'https://app.example', 'javascript:', 'https:', 'data:'];
    expect(policy({ formOrigins })).toContain("form-action 'self' cursor: https://app.example;");
  });
});

test('JSON in a page cannot end its element', () => {
  const text = '</script><!--\u2028';
  expect(inlineJson({ text })).not.toMatch(/[<\u2028]/);
  expect(JSON.parse(inlineJson({ text }))).toEqual({ text });
});
