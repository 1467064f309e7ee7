import { DatabaseUnavailable, UnknownOutcome } from './database-errors.ts';

/**
 * The closed table of public errors (docs/generated/errors.md): one HTTP status per code.
 * Code anywhere below a surface throws `AppError`; each surface renders it once.
 */
export const errorStatus = {
  bad_request: 400,
  missing_token: 401,
  invalid_token: 401,
  revoked_token: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  idempotency_in_progress: 409,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_error: 422,
  amount_exceeds_wallet_limits: 422,
  no_wallet: 422,
  volume_exceeded: 422,
  idempotency_key_reused: 422,
  locked: 423,
  rate_limited: 429,
  internal_error: 500,
  wallet_unavailable: 503,
  rate_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

interface AppErrorOptions {
  /** One sentence per fault, each naming its field. */
  details?: readonly string[];
  /** What really happened; logged, never sent. */
  cause?: unknown;
  /** Seconds after which trying again makes sense; becomes the `Retry-After` header. */
  retryAfterSeconds?: number;
}

/** An expected failure with a public code and a sentence that a person can act on. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly string[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

const sentences = [
  [
    DatabaseUnavailable,
    'Our database cannot be used at the moment; try again in a few seconds, with the same Idempotency-Key where you sent one',
  ],
  [
    UnknownOutcome,
    'The database went away before it confirmed the change; look whether it happened, or repeat the call with the same Idempotency-Key',
  ],
] as const;

/** Any thrown thing as a public error; what nobody foresaw becomes a 500 that says nothing of itself. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // The interface has no code of its own for what a database does.
  const message = sentences.find(([kind]) => error instanceof kind)?.[1];
  return message === undefined
    ? new AppError('internal_error', 'Something went wrong on our side', { cause: error })
    : new AppError('internal_error', message, { cause: error, retryAfterSeconds: 5 });
}

/** 404 in the interface's words: `notFound('Order')` says "Order not found". */
export function notFound(resource: string): AppError {
  return new AppError('not_found', `${resource} not found`);
}

/** 422 with one sentence per fault. */
export function invalid(...details: string[]): AppError {
  return new AppError('validation_error', 'Validation failed', { details });
}
