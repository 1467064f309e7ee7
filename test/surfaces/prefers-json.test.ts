import { expect, test } from 'vitest';
import { prefersJson } from '../../src/surfaces/http/prefers-json.ts';

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
