import { errorStatus } from '#product/kernel/errors.js';
import { operations } from '#product/resources/index.js';
import { code, table } from './markdown.js';

/** What a caller should make of each code. The table in `src/kernel/errors.ts` is closed, and so is this one. */
const meanings = {
  bad_request: 'The body is no JSON, or the request no HTTP. Mend the client',
  missing_token: 'No usable `Authorization: Bearer …` header came along',
  invalid_token: 'Nobody knows this key. Look for a copying mistake',
  revoked_token: 'The key has been revoked. Use another one',
  payment_required: 'What is asked for has not been paid, or is paid for no longer',
  forbidden: 'The key is good and may not do this: its kind, its permissions, its addresses or its mode forbid it',
  not_found: 'There is no such thing here for this key; what belongs to others or to the other mode looks the same',
  method_not_allowed: 'The address exists; `Allow` says which methods it takes',
  conflict: 'The object is in a state that forbids the change. Read it again before deciding',
  idempotency_in_progress: 'The first call with this key still runs. Send it again after `Retry-After`',
  gone: 'It existed and has expired',
  payload_too_large: 'The body or the headers are larger than the service takes',
  unsupported_media_type: 'The body must be sent as JSON',
  validation_error: '`details` has one sentence per fault, each naming its field',
  amount_exceeds_wallet_limits: 'No connected wallet takes so much at once',
  no_wallet: 'No enabled wallet is connected in this mode',
  volume_exceeded: 'The plan’s volume for this month is used up',
  idempotency_key_reused: 'This key was used with other input. Send a new key',
  locked: 'The account is locked for a while',
  rate_limited: 'Too many calls. Wait for `Retry-After`',
  internal_error: 'A fault of the service. The log has it under the `request_id`',
  wallet_unavailable: 'The wallet did not answer in time. Nothing was kept; the call may be sent again',
  rate_unavailable: 'No fresh exchange rate is known. Cash still works; send the call again later',
};

/** The closed table of error codes with the operations that name them. */
export function errorsDocument() {
  const codes = Object.keys(errorStatus);
  for (const name of new Set([...codes, ...Object.keys(meanings)])) {
    if (!codes.includes(name) || !(name in meanings)) {
      throw new Error(`scripts/documents/errors.js and src/kernel/errors.ts disagree about ${name}`);
    }
  }
  const rows = codes.map((name) => [errorStatus[name], code(name), meanings[name], namedBy(name)]);
  return `# Errors

Every answer that is no success has this body, whatever went wrong and wherever (codes: \`src/kernel/errors.ts\`,
operations: \`src/resources/index.ts\`):

\`\`\`json
{"error": {"code": "validation_error", "message": "Validation failed", "status": 422, "request_id": "req_…", "details": ["…"]}}
\`\`\`

A code has one status for ever, so clients can switch on the code. \`request_id\` also stands in the header
\`X-Request-Id\` and in the log. Codes without an operation can come from any call.

${table(['status', 'code', 'what it means', 'named by'], rows)}`;
}

const mostNames = 6;

function namedBy(name) {
  const named = operations.filter(({ fails }) => fails.includes(name));
  return named.length > mostNames ? `${named.length} operations` : named.map(({ name }) => code(name)).join(', ');
}
