import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { importDirectory } from '../resources/directory/import-directory.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { fileFailure } from './file-failure.ts';
import { counted } from './output.ts';

interface Options {
  replace?: boolean;
}

export function addImportDirectory(group: Command): void {
  addCommand(
    group,
    'import <file>',
    'Take exchanges, countries and channels of a JSON file into the public directory; all of it or nothing',
    'directory import exchanges.json',
    'directory import exchanges.json --replace   # also removes what the file does not name',
  )
    .option('--replace', 'remove what the file does not name, in the lists that it has; merchants’ channels stay')
    .action(
      withParts<Options>(async ({ parts }, { replace = false }, path) => {
        const file = await readJson(path!);
        const now = parts.clock.now();
        const taken = await parts.db.transaction((tx) => importDirectory(tx, file, replace, now));
        const { countries, exchanges, channels, changed, removed } = taken;
        return {
          json: { object: 'directory_import', file: path, ...taken },
          text:
            `Read ${counted(exchanges, 'exchange')}, ${counted(countries, 'country', 'countries')} and ${counted(channels, 'channel')}: ` +
            `${changed} new or changed, ${removed} removed.`,
        };
      }),
    );
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw fileFailure(path, error);
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliFailure(`${path} is no JSON: ${(cause as Error).message}.`, { cause });
  }
}
