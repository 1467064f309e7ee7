import { AppError, asAppError } from '../../kernel/errors.ts';

interface RenderedError {
  status: number;
  headers: Record<string, string>;
  body: { error: { code: string; message: string; status: number; request_id: string; details?: string[] } };
}

/** The interface's error envelope. Causes stay inside. */
export function renderError(error: AppError, requestId: string): RenderedError {
  const { status, code, message, details, retryAfterSeconds } = error;
  return {
    status,
    headers: {
      // A browser keeps a 410 for good unless told otherwise, and a late payment makes it readable again.
      'cache-control': 'no-store',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    },
    body: { error: { code, message, status, request_id: requestId, ...(details ? { details: [...details] } : {}) } },
  };
}

const framework: Record<string, () => AppError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new AppError('payload_too_large', 'The body is larger than 1 MiB'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new AppError('unsupported_media_type', 'Send the body as JSON with "Content-Type: application/json"'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new AppError('bad_request', 'The body is not as long as Content-Length says'),
  FST_ERR_BAD_URL: () => new AppError('not_found', 'Nothing is at this address'),
  FST_ERR_MAX_PARAM_LENGTH: () => new AppError('not_found', 'Nothing is at this address'),
};

/** Any thrown thing as a public error, the framework's own among them. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code = '', statusCode } = (error ?? {}) as { code?: string; statusCode?: number };
  // Whoever sent the body went away in the middle of it.
  if (code === 'ECONNRESET' && statusCode === 400) return new AppError('bad_request', 'The body broke off');
  return framework[code]?.() ?? asAppError(error);
}
