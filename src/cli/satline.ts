import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addAddWallet } from './add-wallet.ts';
import { addCreateKey } from './create-key.ts';
import { addCreateMerchant } from './create-merchant.ts';
import { addDoctor } from './doctor/doctor.ts';
import { sentenceOf } from './failure.ts';
import { addListKeys } from './list-keys.ts';
import { addListMerchants } from './list-merchants.ts';
import { addListWallets } from './list-wallets.ts';
import { addMigrate } from './migrate.ts';
import { printable } from './output.ts';
import { addProbeWallet } from './probe-wallet.ts';
import { addRevokeKey } from './revoke-key.ts';
import { addStart } from './start.ts';
import { addSwitchWallet } from './switch-wallet.ts';

const usageFault = 2;

function buildProgram(): Command {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const program = new Command('satline')
    .description('Self-hosted Bitcoin Lightning payments. Reads the same environment variables as the server.')
    .version(version)
    // Commands that are added below inherit both.
    .exitOverride()
    .showHelpAfterError('Add --help to see how the command is used.')
    .addHelpText('after', '\nExample:\n  $ satline start --demo\n\nExit codes: 0 done, 1 failed, 2 wrong usage.');
  addStart(program);
  addMigrate(program);
  const merchant = program.command('merchant').description('Merchants of this installation');
  addCreateMerchant(merchant);
  addListMerchants(merchant);
  const key = program.command('key').description('API keys');
  addCreateKey(key);
  addListKeys(key);
  addRevokeKey(key);
  const wallet = program.command('wallet').description('Wallets that payments go to');
  addAddWallet(wallet);
  addListWallets(wallet);
  addProbeWallet(wallet);
  addSwitchWallet(wallet);
  addDoctor(program);
  return program;
}

/** Runs one command line. @returns the exit code. */
async function run(words: readonly string[]): Promise<number> {
  const asJson = words.includes('--json');
  try {
    await buildProgram().parseAsync(words, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version come here too, with code 0. What was wrong has been printed.
      const code = error.exitCode === 0 ? 0 : usageFault;
      if (asJson && code !== 0) printError(error.message.replace(/^error: /, ''), code);
      return code;
    }
    const sentence = sentenceOf(error);
    const { message, stack } = error as Error;
    process.stderr.write(`${printable(sentence ?? `Nobody foresaw this fault: ${stack ?? message}`)}\n`);
    if (asJson) printError(sentence ?? message, 1);
    return 1;
  }
}

/** With `--json` a failure is JSON as well, so that a script reads one thing. */
function printError(message: string, exitCode: number): void {
  process.stdout.write(`${JSON.stringify({ object: 'error', message, exit_code: exitCode }, null, 2)}\n`);
}

process.exitCode = await run(process.argv.slice(2));
