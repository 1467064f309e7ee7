import { DatabaseUnavailable } from './kernel/database-errors.ts';

/**
 * Everything that goes wrong while a database is opened, or opened again, is somebody's to put right, so it becomes a
 * sentence; undefined for a fault of ours. No part of `DATABASE_URL` but the host is shown: what is taken for the rest may
 * belong to a password with a stray `/` in it.
 */
export function openingTrouble(failure: unknown, databaseUrl: string | undefined): string | undefined {
  const error = failure instanceof DatabaseUnavailable ? failure.cause : failure;
  if (isBug(error)) return undefined;
  return databaseUrl === undefined || isOfFile(error) ? directoryTrouble(error) : postgresTrouble(error, databaseUrl);
}

/** Not from a system call, a library or the database: those set a code, or throw a plain Error. */
function isBug(error: unknown): boolean {
  const bugs = [TypeError, ReferenceError, RangeError, SyntaxError];
  return bugs.some((kind) => error instanceof kind) && (error as NodeJS.ErrnoException).code === undefined;
}

/** `DATA_DIR` is there beside PostgreSQL as well. */
function isOfFile(error: unknown): boolean {
  const { code, syscall = '' } = error as NodeJS.ErrnoException;
  // Sockets are read as well, but no directory is one.
  return code === 'EISDIR' || ['open', 'mkdir', 'rename', 'write', 'fsync'].includes(syscall);
}

function directoryTrouble(error: unknown): string {
  const { code, path, syscall, message } = error as NodeJS.ErrnoException;
  const place = path ?? 'DATA_DIR';
  if (code === 'EACCES' || code === 'EPERM') {
    return `${place} is not open to this user (${code}). Run Satline and its commands as the user that it belongs to.`;
  }
  if (code === 'EROFS') return `${place} cannot be written, its disk is read-only. Set DATA_DIR to a place that can.`;
  if (code === 'ENOTDIR' || code === 'EEXIST') return `A file is in the way of ${place}. Set DATA_DIR to a directory.`;
  // What a container is given as a file that is not there becomes one.
  if (code === 'EISDIR') {
    return `${place} must be a file and is a directory. Move it away, and put the file back if there was one.`;
  }
  if (code === 'ENOENT' && syscall === 'mkdir') {
    return `No directory can be made at ${place}. Set DATA_DIR to a place where one can.`;
  }
  // The system's words, in a code's message as in what the engine says when it gives up.
  if (/no space left on device/i.test(message)) return 'The disk that holds DATA_DIR is full. Make room on it.';
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
