import { dirname } from 'node:path';
import { CliFailure } from './failure.ts';

/** What to do about a file or folder that cannot be read or written. None of these codes comes from a connection. */
const sentences: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `There is no ${path}. Look for a mistake in its name.`,
  EISDIR: (path) => `${path} is a folder. Name a file.`,
  ENOTDIR: (path) => `${dirname(path)} is no folder. Name one.`,
  EACCES: (path) => `${path} is not open to this user. Name another place, or run the command as another user.`,
  EROFS: (path) => `${path} cannot be written, its disk is read-only. Name another place.`,
  ENOSPC: (path) => `The disk of ${path} is full. Make room on it, or name another place.`,
};

/** @returns a failure that names the file, where it was the file's fault; anything else as it came. */
export function fileFailure(path: string, error: unknown): unknown {
  const sentence = sentences[(error as NodeJS.ErrnoException).code ?? ''];
  return sentence ? new CliFailure(sentence(path), { cause: error }) : error;
}
