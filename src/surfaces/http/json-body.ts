import { AppError } from '../../kernel/errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Reads a JSON body. Empty is `{}`, whatever the content type says.
 * @throws {AppError} 400 for malformed JSON, 415 for a compressed body (RFC 9110, section 8.4).
 */
export function parseJsonBody(bytes: Buffer, encoding = 'identity'): unknown {
  if (bytes.length === 0) return {};
  if (encoding.trim().toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the body as it is, without "Content-Encoding"');
  }
  try {
    const text = utf8.decode(bytes);
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch (cause) {
    throw new AppError('bad_request', 'The body is not valid JSON', { cause });
  }
}
