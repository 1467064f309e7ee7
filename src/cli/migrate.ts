import type { Command } from 'commander';
import { migrate } from '../db/migrate.ts';
import { addCommand, withConfig } from './command.ts';
import { openingFailure } from './failure.ts';
import { openDatabase } from './open.ts';

export function addMigrate(program: Command): void {
  addCommand(program, 'migrate', 'Bring the database schema up to date; "start" does it by itself', 'migrate').action(
    withConfig(async ({ config, progress }) => {
      progress.show('Opening the database');
      const db = await openDatabase(config);
      try {
        progress.show('Bringing the schema up to date');
        const applied = await migrate(db).catch((error) => Promise.reject(openingFailure(error, config.databaseUrl)));
        return {
          json: { object: 'migration', engine: db.engine, applied },
          text: applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}.`,
        };
      } finally {
        await db.close();
      }
    }),
  );
}
