import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addAddDocument } from './add-document.ts';
import { addAddUser } from './add-user.ts';
import { addAddWallet } from './add-wallet.ts';
import { addChangeWallet } from './change-wallet.ts';
import { addCheckLedger } from './check-ledger.ts';
import { addClockAdvance } from './clock-advance.ts';
import { addCreateAccessToken } from './create-access-token.ts';
import { addCreateKey } from './create-key.ts';
import { addCreateMerchant } from './create-merchant.ts';
import { addDirectoryImport } from './directory-import.ts';
import { addDoctor } from './doctor/doctor.ts';
import { addEventsTail } from './events-tail.ts';
import { addExplain } from './explain.ts';
import { addBackup, addExport } from './export.ts';
import { addGivePasswordLink } from './give-password-link.ts';
import { addImport } from './import.ts';
import { addInviteUser } from './invite-user.ts';
import { addListAssistants } from './list-assistants.ts';
import { addListKeys } from './list-keys.ts';
import { addListMerchants } from './list-merchants.ts';
import { addListUsers } from './list-users.ts';
import { addListWallets } from './list-wallets.ts';
import { addMigrate } from './migrate.ts';
import { addProbeWallet } from './probe-wallet.ts';
import { addReconcile } from './reconcile.ts';
import { addRemoveUser } from './remove-user.ts';
import { addRemoveWallet } from './remove-wallet.ts';
import { addResetSecondFactor } from './reset-second-factor.ts';
import { addRevokeAssistant } from './revoke-assistant.ts';
import { addRevokeKey } from './revoke-key.ts';
import { addRotateSecrets } from './rotate-secrets.ts';
import { addSetMerchantStatus } from './set-merchant-status.ts';
import { addSignOutUser } from './sign-out-user.ts';
import { addStart } from './start.ts';
import { addSwitchWallet } from './switch-wallet.ts';
import { addUserSessions } from './user-sessions.ts';
import { addVerifyAuditLog } from './verify-audit-log.ts';
import { addWebhooksForward } from './webhooks-forward.ts';

/** The whole command line. Where commander would end the process, it throws a `CommanderError`. */
export function buildProgram(): Command {
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
  addSetMerchantStatus(merchant, 'activate');
  addSetMerchantStatus(merchant, 'suspend');
  const user = program.command('user').description('People who sign in');
  addInviteUser(user);
  addAddUser(user);
  addListUsers(user);
  addUserSessions(user);
  addGivePasswordLink(user);
  addRemoveUser(user);
  addSignOutUser(user);
  addResetSecondFactor(user);
  const auditLog = program.command('audit-log').description('Who changed what');
  addVerifyAuditLog(auditLog);
  const key = program.command('key').description('API keys');
  addCreateKey(key);
  addListKeys(key);
  addRevokeKey(key);
  const assistant = program.command('assistant').description('Assistants that were connected by OAuth');
  addListAssistants(assistant);
  addRevokeAssistant(assistant);
  const wallet = program.command('wallet').description('Wallets that payments go to');
  addAddWallet(wallet);
  addListWallets(wallet);
  addProbeWallet(wallet);
  addSwitchWallet(wallet);
  addChangeWallet(wallet);
  addRemoveWallet(wallet);
  const events = program.command('events').description('What happens, told by a running service');
  addEventsTail(events);
  const webhooks = program.command('webhooks').description('Webhooks of a running service');
  addWebhooksForward(webhooks);
  const ledger = program.command('ledger').description('The books of this installation');
  addCheckLedger(ledger);
  const clock = program.command('clock').description('Time of a merchant’s test data on a running service');
  addClockAdvance(clock);
  const directory = program.command('directory').description('The public directory of channels and exchanges');
  addDirectoryImport(directory);
  const accessToken = program.command('access-token').description('Paid access to things that are no products here');
  addCreateAccessToken(accessToken);
  const document = program.command('document').description('Papers for merchants');
  addAddDocument(document);
  const secrets = program.command('secrets').description('The key that seals what is secret in the database');
  addRotateSecrets(secrets);
  addExplain(program);
  addReconcile(program);
  addExport(program);
  addImport(program);
  addBackup(program);
  addDoctor(program);
  return program;
}
