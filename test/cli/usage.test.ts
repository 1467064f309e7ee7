import type { Command } from 'commander';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readIpRanges, readPermissions } from '../../src/cli/key-terms.ts';
import { readTimeZone } from '../../src/cli/option-values.ts';
import { printable } from '../../src/cli/output.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { satline } from './run-satline.ts';

const id = '01890000-0000-7000-8000-000000000001';

afterEach(() => vi.restoreAllMocks());

function leaves(command: Command, path: string[] = []): { path: string; command: Command }[] {
  return command.commands.flatMap((child) => {
    const own = [...path, child.name()];
    return child.commands.length > 0 ? leaves(child, own) : [{ path: own.join(' '), command: child }];
  });
}

async function usageFault(...words: string[]): Promise<string> {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const error = await buildProgram()
    .parseAsync(words, { from: 'user' })
    .then(
      () => undefined,
      (reason) => reason,
    );
  expect(error?.code, words.join(' ')).toMatch(/^commander\./);
  expect(error.exitCode).not.toBe(0);
  return printed.mock.calls.join('');
}

describe('help', () => {
  test('names every command there is', () => {
    expect(leaves(buildProgram()).map(({ path }) => path)).toEqual([
      'start',
      'migrate',
      'merchant create',
      'merchant list',
      'merchant activate',
      'merchant suspend',
      'merchant plan',
      'plan list',
      'user invite',
      'user add',
      'user list',
      'user sessions',
      'user password-link',
      'user remove',
      'user sign-out',
      'user reset-second-factor',
      'audit-log verify',
      'key create',
      'key list',
      'key revoke',
      'assistant list',
      'assistant revoke',
      'wallet add',
      'wallet list',
      'wallet probe',
      'wallet enable',
      'wallet disable',
      'wallet change',
      'wallet remove',
      'events tail',
      'webhooks forward',
      'ledger check',
      'clock advance',
      'directory import',
      'access-token create',
      'document add',
      'secrets rotate',
      'explain',
      'reconcile',
      'export',
      'import',
      'backup',
      'doctor',
    ]);
  });

  test.each(leaves(buildProgram()))('of "$path" has an example that can be typed', ({ path, command }) => {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) });
    command.outputHelp();
    expect(help).toContain(`$ satline ${path}`);
    if (path !== 'start') expect(help).toContain('--json');
  });

  test('is printed by the built program', async () => {
    const { code, stdout } = await satline({}, 'wallet', 'add', '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/--max-payment-sats[\s\S]*Examples:[\s\S]*satline wallet add --live/);
  });
});

describe('wrong usage', () => {
  test.each([
    ['an unknown command', ['sell']],
    ['an unknown option', ['merchant', 'list', '--all']],
    ['a word too many', ['migrate', 'now']],
    ['no name', ['merchant', 'create', '--email', 'a@b.co']],
    ['an empty name', ['merchant', 'create', '--name', ' ', '--email', 'a@b.co']],
    ['an e-mail address without a dot', ['merchant', 'create', '--name', 'A', '--email', 'a@b']],
    ['a currency that is none', ['merchant', 'create', '--name', 'A', '--email', 'a@b.co', '--currency', 'xxx']],
    ['an offset as time zone', ['merchant', 'create', '--name', 'A', '--email', 'a@b.co', '--time-zone', '+02:00']],
    ['an unknown time zone', ['merchant', 'create', '--name', 'A', '--email', 'a@b.co', '--time-zone', 'Mars/One']],
    ['a merchant that is no id', ['key', 'create', '--merchant', 'shop']],
    ['an unknown permission', ['key', 'create', '--permissions', 'orders:delete']],
    ['a range that is none', ['key', 'create', '--ip-ranges', '10.0.0.0/33']],
    ['a narrowed publishable key', ['key', 'create', '--publishable', '--permissions', 'orders:read']],
    ['a publishable key bound to addresses', ['key', 'create', '--publishable', '--ip-ranges', '10.0.0.0/8']],
    ['a secret key for products only', ['key', 'create', '--products-only']],
    ['an allowance of nothing', ['key', 'create', '--max-order', '0.00']],
    ['no key', ['key', 'revoke']],
    ['a key that is no id', ['key', 'revoke', 'sk_test_1']],
    ['an assistant that is no id', ['assistant', 'revoke', 'Claude']],
    ['no address', ['wallet', 'add']],
    ['a ceiling of nothing', ['wallet', 'add', 'a@b.co', '--max-payment-sats', '0']],
    ['a ceiling in parts', ['wallet', 'add', 'a@b.co', '--max-payment-sats', '1.5']],
    ['a change that changes nothing', ['wallet', 'change', id]],
    ['a resource without a name', ['access-token', 'create', '--resource', '']],
    ['a kind of thing without a name', ['access-token', 'create', '--resource', 'film-7', '--type', ' ']],
    ['a media type that is none', ['document', 'add', 'contract.pdf', '--type', 'pdf']],
    ['a document of no kind', ['document', 'add', 'contract.pdf', '--kind', '']],
    ['a day that is none', ['reconcile', '--since', 'yesterday']],
    ['two wallets', ['wallet', 'probe', id, id]],
  ])('is %s', async (_, words) => {
    expect(await usageFault(...words)).toMatch(/^error: .*\n[\s\S]*--help/);
  });

  test('ends with code 2, and with --json says so in JSON', async () => {
    const run = await satline({}, 'key', 'create', '--permissions', 'orders', '--json');
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('"orders" is none of orders:read, orders:write');
    expect(run.json()).toMatchObject({ object: 'error', exit_code: 2 });
  });
});

describe('a command that cannot begin', () => {
  test('names every wrong variable, without a stack', async () => {
    const run = await satline({ PORT: 'many', LOG_LEVEL: 'loud' }, 'merchant', 'list', '--json');
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^PORT must be .*\nLOG_LEVEL must be .*\n$/);
    expect(run.json().message).toContain('PORT must be');
  });

  test('says what to do when no PostgreSQL answers, without the password', async () => {
    const env = { DATABASE_URL: 'postgres://me:hush@127.0.0.1:9/shop', SECRETS_KEY: '22'.repeat(32) };
    const run = await satline(env, 'merchant', 'list');
    expect(run.code).toBe(1);
    expect(run.stderr).toBe(
      'No PostgreSQL answers at 127.0.0.1. See that it runs and that DATABASE_URL names the right host and port.\n',
    );
    expect(run.stdout).toBe('');
  });
});

describe('option values', () => {
  test('permissions are a list without repetitions', () => {
    expect(readPermissions('orders:read, orders:read,media_keys:manage')).toEqual(['orders:read', 'media_keys:manage']);
  });

  test.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['2001:db8:1::/32', '2001:db8::/32'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
  ])('the range %s is kept as %s', (text, range) => {
    expect(readIpRanges(text)).toEqual([range]);
  });

  test.each([
    '10.1',
    '010.0.0.1',
    '0x7f000001',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
    '::/129',
    '::ffff:0:0/90',
    '',
  ])('"%s" is no range', (text) => {
    expect(() => readIpRanges(text)).toThrow('is no address or range');
  });

  test.each([
    ['utc', 'UTC'],
    ['europe/berlin', 'Europe/Berlin'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['US/Pacific', 'US/Pacific'],
  ])('the time zone %s is kept as %s', (text, name) => {
    expect(readTimeZone(text)).toBe(name);
  });

  test('text from elsewhere cannot move the cursor', () => {
    expect(printable('a\u001b[2J\r\u202eb\nc')).toBe('a\ufffd[2J\ufffd\ufffdb\nc');
  });
});
