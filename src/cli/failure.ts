import { ConfigError } from '../config.ts';
import { EmbeddedDirectoryInUse } from '../db/embedded/directory-lock.ts';
import { DatabaseUnavailable } from '../kernel/database-errors.ts';
import { AppError } from '../kernel/errors.ts';
import { WalletFault } from '../lightning/connector.ts';
import { openingTrouble } from '../opening-trouble.ts';
import { SecretsKeyError } from '../secrets-keys.ts';

/** A command could not do what it was asked. The message says in a sentence what to do about it. */
export class CliFailure extends Error {}

/** What to tell the person at the terminal; undefined when nobody foresaw the error. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof EmbeddedDirectoryInUse) return inUse(error);
  if (error instanceof AppError) return error.details?.join('; ') ?? error.message;
  const foreseen = [CliFailure, ConfigError, SecretsKeyError, WalletFault, DatabaseUnavailable];
  return foreseen.some((kind) => error instanceof kind) ? (error as Error).message : undefined;
}

function inUse(error: EmbeddedDirectoryInUse): string {
  const holder = /in use by (process \d+)/.exec(error.message)?.[1] ?? 'another process';
  return (
    `The embedded database in ${error.directory} is in use by ${holder}, most likely the Satline server. ` +
    'Stop it while this command runs, or set DATABASE_URL to a PostgreSQL, which both can use at once.'
  );
}

/** What kept the database from being opened, as a sentence. */
export function openingFailure(error: unknown, databaseUrl: string | undefined): Error {
  const isTrouble = sentenceOf(error) === undefined || error instanceof DatabaseUnavailable;
  const text = isTrouble ? openingTrouble(error, databaseUrl) : undefined;
  return text === undefined ? (error as Error) : new CliFailure(text, { cause: error });
}
