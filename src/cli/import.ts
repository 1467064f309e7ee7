import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Command } from 'commander';
import { migrate } from '../db/migrate.ts';
import { ImportRefused, importDatabase } from '../db/transfer/import.ts';
import { checkLedger } from '../flows/check-ledger.ts';
import { openSealer } from '../open-sealer.ts';
import { readSecretsKeys } from '../secrets-keys.ts';
import { adoptEvents } from '../store/events.ts';
import { addCommand, withConfig } from './command.ts';
import { rowTable } from './export.ts';
import { CliFailure } from './failure.ts';
import { fileFailure } from './file-failure.ts';
import { openDatabase } from './open.ts';

export function addImport(program: Command): void {
  addCommand(
    program,
    'import <file>',
    'Read an export into an empty database, checked row by row; all of it or nothing',
    'import satline.jsonl.gz',
    'import satline.jsonl.gz   # with DATABASE_URL set: from embedded to PostgreSQL',
  ).action(
    withConfig(async ({ config, progress }, _options, path) => {
      await access(path!).catch((error) => {
        throw fileFailure(path!, error);
      });
      const db = await openDatabase(config);
      try {
        const keys = await readSecretsKeys(config, true);
        await migrate(db);
        const { rows } = await importDatabase(db, createReadStream(path!), {
          onTable: (name) => progress.show(`Importing ${name}`),
          // The key must open what is sealed in the file, or the wallets would be lost without anybody noticing.
          verify: async (tx) => void (await openSealer(tx, keys)),
        });
        await adoptEvents(db);
        progress.show('Checking the books');
        const broken = await checkLedger(db);
        const books =
          broken.length === 0
            ? 'The books agree.'
            : `The books do not agree: ${broken.map(({ rule }) => rule).join('; ')}.`;
        return {
          json: { object: 'import', file: path, rows, broken },
          text: `${rowTable(rows)}\n\n${books}`,
          failed: broken.length > 0,
        };
      } catch (error) {
        if (error instanceof ImportRefused)
          throw new CliFailure(`${error.message}. Nothing was changed.`, { cause: error });
        throw fileFailure(path!, error);
      } finally {
        await db.close();
      }
    }),
  );
}
