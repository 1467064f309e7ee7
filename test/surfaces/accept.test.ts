import { expect, test } from 'vitest';
import { prefersCsv, prefersJson } from '../../src/surfaces/http/accept.ts';

test.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/html', false],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['application/*', true],
  ['application/json, */*', false],
  ['application/json, */*;q=0.5', true],
  ['application/json;q=0.5, text/html', false],
  ['application/json, text/html;q=0.9', true],
  ['text/html, application/json', false],
  ['text/html;q=0, */*', true],
  ['application/json;q=0', false],
  ['nonsense;;;q=x', false],
])('%j ranks JSON above HTML: %s', (accept, expected) => {
  expect(prefersJson(accept)).toBe(expected);
});

test.each([
  [undefined, false],
  ['*/*', false],
  ['text/*', false],
  ['application/json', false],
  ['text/csv', true],
  ['Text/CSV; header=present', true],
  ['text/csv, */*', true],
  ['text/csv;q=0.5, */*', false],
  ['text/csv, application/json', false],
  ['text/csv;q=0.9, application/json;q=0.5', true],
  ['text/csv;q=0.5, application/json', false],
  ['text/csv;q=0', false],
])('%j ranks CSV above JSON: %s', (accept, expected) => {
  expect(prefersCsv(accept)).toBe(expected);
});
