import { AppError } from '../../kernel/errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Reads a JSON body. Empty is `{}`, whatever the content type says. @throws {AppError} 400 for malformed JSON. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  try {
    const text = utf8.decode(bytes);
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch (cause) {
    throw new AppError('bad_request', 'The body is not valid JSON', { cause });
  }
}
