import { ConfigError } from '../config.ts';
import { EmbeddedDirectoryInUse } from '../db/embedded/directory-lock.ts';
import { AppError } from '../kernel/errors.ts';
import { WalletFault } from '../lightning/connector.ts';
import { SecretsKeyError } from '../secrets-keys.ts';

/** A command could not do what it was asked. The message says in a sentence what to do about it. */
export class CliFailure extends Error {}

/** What to tell the person at the terminal; undefined when nobody foresaw the error. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof EmbeddedDirectoryInUse) return inUse(error);
  if (error instanceof AppError) return error.details?.join('; ') ?? error.message;
  const foreseen = [CliFailure, ConfigError, SecretsKeyError, WalletFault];
  return foreseen.some((kind) => error instanceof kind) ? (error as Error).message : undefined;
}

function inUse(error: EmbeddedDirectoryInUse): string {
  const holder = /in use by (process \d+)/.exec(error.message)?.[1] ?? 'another process';
  return (
    `The embedded database in ${error.directory} is in use by ${holder}, most likely the Satline server. ` +
    'Stop it while this command runs, or set DATABASE_URL to a PostgreSQL, which both can use at once.'
  );
}

/**
 * Everything that goes wrong while the database is opened is somebody's to put right, so it becomes a sentence. No part of
 * `DATABASE_URL` but the host is shown: what is taken for the rest may belong to a password with a stray `/` in it.
 */
export function openingFailure(error: unknown, databaseUrl: string | undefined): Error {
  if (sentenceOf(error) !== undefined || isBug(error)) return error as Error;
  const text = databaseUrl === undefined ? directoryTrouble(error) : postgresTrouble(error, databaseUrl);
  return new CliFailure(text, { cause: error });
}

/** Not from a system call, a library or the database: those set a code, or throw a plain Error. */
function isBug(error: unknown): boolean {
  const bugs = [TypeError, ReferenceError, RangeError];
  return bugs.some((kind) => error instanceof kind) && (error as NodeJS.ErrnoException).code === undefined;
}

function directoryTrouble(error: unknown): string {
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return `${path ?? 'DATA_DIR'} is not open to this user (${code}). Run the command as the user that runs Satline.`;
  }
  if (code === 'ENOSPC') return 'The disk that holds DATA_DIR is full. Make room on it.';
  return message;
}

const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENOENT']);

function postgresTrouble(error: unknown, databaseUrl: string): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const server = serverIn(databaseUrl);
  if (code === 'ERR_INVALID_URL') {
    return 'DATABASE_URL is no address such as postgres://user:password@host/satline; percent-encode what is special in it.';
  }
  if (unreachable.has(code) || /timeout|terminated/i.test(message)) {
    return `No PostgreSQL answers at ${server}. See that it runs and that DATABASE_URL names the right host and port.`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `The host ${server} in DATABASE_URL has no address. Correct it.`;
  if (code.startsWith('28'))
    return `PostgreSQL at ${server} refuses the user or password in DATABASE_URL. Correct them.`;
  if (code === '3D000')
    return `PostgreSQL at ${server} has no such database. Make it with createdb, or correct DATABASE_URL.`;
  if (code === '53300') return `PostgreSQL at ${server} has no connection left. Raise max_connections there.`;
  if (code === '42501')
    return `The user in DATABASE_URL lacks a right at ${server}: ${message}. Make it the owner of the database.`;
  // Without a code it is our own word, on the server's version or on another setting.
  return code === '' ? message : `PostgreSQL at ${server}: ${message}`;
}

function serverIn(databaseUrl: string): string {
  return (URL.canParse(databaseUrl) && new URL(databaseUrl).hostname) || 'the host of DATABASE_URL';
}
