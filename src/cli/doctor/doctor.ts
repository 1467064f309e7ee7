import type { Command } from 'commander';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import { addCommand, withoutConfig } from '../command.ts';
import { counted, type Progress } from '../output.ts';
import { type Check, skipped } from './check.ts';
import { checkDatabase, checkMigrations } from './check-database.ts';
import { checkConfiguration, checkNode } from './check-process.ts';
import { checkRates } from './check-rates.ts';
import { checkSecretsKey } from './check-secrets-key.ts';
import { checkWallets } from './check-wallets.ts';

export function addDoctor(program: Command): void {
  addCommand(
    program,
    'doctor',
    'Look at configuration, database, secrets key, exchange rates and wallets, and say what to do about each trouble',
    'doctor',
    'doctor --json',
  ).action(
    withoutConfig(async ({ progress, signal }) => {
      const checks = await examine(progress, signal);
      const failed = checks.some(({ status }) => status === 'trouble');
      return {
        json: { object: 'doctor_report', ok: !failed, checks: checks.map(checkJson) },
        text: report(checks),
        failed,
      };
    }),
  );
}

/** Changes nothing and starts no loops, so that it may run beside a server on PostgreSQL. */
async function examine(progress: Progress, signal: AbortSignal): Promise<Check[]> {
  const node = checkNode();
  const { checks, config } = checkConfiguration(process.env);
  if (!config) return [node, ...checks, ...['database', 'secrets key', 'exchange rates', 'wallets'].map(skipped)];
  progress.show('Looking at the database');
  const { check, db } = await checkDatabase(config);
  try {
    const stored = db ? await examineDatabase(db, config) : undefined;
    progress.show('Asking for exchange rates');
    const rates = await checkRates(config, signal);
    const before = [node, ...checks, check];
    if (!stored) return [...before, ...['migrations', 'secrets key', 'wallets'].map(skipped), ...rates];
    return [...before, ...stored, ...rates];
  } finally {
    await db?.close();
  }
}

async function examineDatabase(db: Database, config: Config): Promise<Check[]> {
  const migrations = await checkMigrations(db);
  // The tables may look otherwise than this version thinks.
  if (migrations.status !== 'ok') return [migrations, skipped('secrets key'), skipped('wallets')];
  return [migrations, await checkSecretsKey(db, config), ...(await checkWallets(db))];
}

function checkJson({ name, status, found, advice }: Check) {
  return { name, status, found, advice: advice ?? null };
}

const marks = { ok: '✓', trouble: '✗', skipped: '–' } as const;

function report(checks: readonly Check[]): string {
  const lines = checks.flatMap(({ name, status, found, advice }) => [
    `${marks[status]} ${name}: ${found}`,
    ...(advice === undefined ? [] : [`    ${advice}`]),
  ]);
  const troubles = checks.filter(({ status }) => status === 'trouble').length;
  const sum = troubles === 0 ? 'All is well.' : `${counted(troubles, 'trouble')}.`;
  return [...lines, '', sum].join('\n');
}
