import { AppError, type ErrorCode } from '../kernel/errors.ts';
import type { Operation } from './operation.ts';

/** What any operation with a key can answer besides what it declares. */
const commonFailures: readonly ErrorCode[] = [
  'missing_token',
  'invalid_token',
  'revoked_token',
  'forbidden',
  'rate_limited',
  'internal_error',
];
const publicFailures: readonly ErrorCode[] = ['rate_limited', 'internal_error'];
/** What reading any body can end with, also one that is then not looked at. */
const bodyFailures: readonly ErrorCode[] = ['bad_request', 'payload_too_large', 'unsupported_media_type'];

/** All codes that a call of the operation may end with. */
export function failureCodes(operation: Operation): ReadonlySet<ErrorCode> {
  const codes = new Set<ErrorCode>([
    ...(operation.access.public ? publicFailures : commonFailures),
    ...operation.fails,
  ]);
  if (operation.body || Object.keys(operation.query).length > 0) codes.add('validation_error');
  if (operation.method !== 'GET') for (const code of bodyFailures) codes.add(code);
  if (operation.idempotency !== 'none') {
    codes.add('validation_error').add('idempotency_in_progress').add('idempotency_key_reused');
  }
  return codes;
}

/** The error itself, or a fault of ours in its place where the operation does not say that it ends so. */
export function declaredFailure(operation: Operation, error: unknown): unknown {
  if (!(error instanceof AppError) || failureCodes(operation).has(error.code)) return error;
  return new Error(`${operation.name} ended with ${error.code}, which it does not declare`, { cause: error });
}
