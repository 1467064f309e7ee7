import { open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import type { Database } from '../db/database.ts';
import { type ExportResult, exportDatabase } from '../db/transfer/export.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { fileFailure } from './file-failure.ts';
import { type Progress, table } from './output.ts';

export function addExport(program: Command): void {
  addCommand(
    program,
    'export <file>',
    'Write everything to a file that "satline import" reads, on either kind of database',
    'export satline.jsonl.gz',
  ).action(
    withParts(async ({ parts, progress }, _options, path) => {
      const { rows } = await exportToFile(parts.db, path!, parts.clock.now(), progress);
      const note = 'Secrets in it are sealed: keep the secrets key too, in another place.';
      return {
        json: { object: 'export', file: path, rows },
        text: `${rowTable(rows)}\n\nWritten to ${path}. ${note}`,
      };
    }),
  );
}

export function addBackup(program: Command): void {
  addCommand(
    program,
    'backup <folder>',
    'Write a dated export into a folder; restore it with "satline import"',
    'backup /var/backups/satline',
  ).action(
    withParts(async ({ parts, progress }, _options, folder) => {
      const now = parts.clock.now();
      const path = `${folder}/satline-${now.toISOString().replace(/[:.]/g, '-')}.jsonl.gz`;
      const { rows } = await exportToFile(parts.db, path, now, progress);
      return { json: { object: 'backup', file: path, rows }, text: `${rowTable(rows)}\n\nWritten to ${path}.` };
    }),
  );
}

/** Written beside and moved into place when it is whole and on the disk. */
async function exportToFile(db: Database, path: string, now: Date, progress: Progress): Promise<ExportResult> {
  const unfinished = `${path}.unfinished`;
  const file = await open(unfinished, 'wx', 0o600).catch((error) => {
    if (error.code === 'EEXIST')
      throw new CliFailure(`${unfinished} is left from an earlier try; remove it first.`, { cause: error });
    throw fileFailure(error.code === 'ENOENT' ? dirname(path) : path, error);
  });
  const target = file.createWriteStream({ autoClose: false });
  try {
    const result = await exportDatabase(db, target, {
      exportedAt: now,
      onTable: (name) => progress.show(`Exporting ${name}`),
    });
    await file.sync();
    await rename(unfinished, path);
    return result;
  } catch (error) {
    await unlink(unfinished).catch(() => {});
    throw fileFailure(path, error);
  } finally {
    // Closing waits until the stream has let go of the file, which by itself it never does.
    target.destroy();
    await file.close();
  }
}

export function rowTable(rows: Record<string, number>): string {
  return table(
    ['TABLE', 'ROWS'],
    Object.entries(rows).map(([name, count]) => [name, String(count)]),
  );
}
