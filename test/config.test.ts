import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';

const key = 'ab'.repeat(32);
const database = { DATABASE_URL: 'postgres://localhost/satline' };

function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message.split('\n');
  }
}

test.each([
  ['what is missing', database, [/^SECRETS_KEY is required/]],
  [
    'what is missing, beside a bad earlier key',
    { ...database, SECRETS_KEY_PREVIOUS: 'abc' },
    [/^SECRETS_KEY_PREVIOUS must be 32 bytes/, /^SECRETS_KEY is required/],
  ],
  ['a bad key once', { ...database, SECRETS_KEY: 'abc', SECRETS_KEY_PREVIOUS: key }, [/^SECRETS_KEY must be 32 bytes/]],
  [
    'an earlier key without one for the present',
    { SECRETS_KEY_PREVIOUS: key },
    [/^SECRETS_KEY_PREVIOUS needs SECRETS_KEY/],
  ],
  ['nothing where both keys are good', { ...database, SECRETS_KEY: key, SECRETS_KEY_PREVIOUS: key }, []],
])('the environment is told %s', (_, env, expected) => {
  const faults = faultsOf(env);
  expect(faults).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(faults[index]).toMatch(pattern);
});

test('all faults are told at once', () => {
  const faults = faultsOf({ PORT: 'x', LOG_LEVEL: 'loud', SMTP_URL: 'smtp://localhost' });
  expect(faults.map((line) => line.split(' ')[0])).toEqual(['PORT', 'LOG_LEVEL', 'MAIL_FROM']);
});

test.each(['PUBLIC_URL', 'PAY_URL'])('%s is where the pages lie, at the root of a host', (name) => {
  for (const [value, read] of [
    ['https://pay.example.com', 'https://pay.example.com'],
    ['https://pay.example.com/', 'https://pay.example.com'],
    ['HTTPS://Pay.Example.com:443', 'https://pay.example.com'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ]) {
    const { publicUrl, payUrl } = readConfig({ [name]: value! });
    expect(name === 'PAY_URL' ? payUrl : publicUrl).toBe(read);
  }
  for (const value of ['https://example.com/pay', 'https://me:word@example.com', 'https://example.com/?a', 'ftp://x']) {
    expect(faultsOf({ [name]: value }), value).toEqual([expect.stringMatching(new RegExp(`^${name} must be`))]);
  }
});
