/**
 * Why a delivery was not accepted:
 *
 * - `body_not_raw`: the body is no text and no bytes, most likely because a framework has parsed it.
 * - `bad_secret`: the secret is not one of Satline's (`whsec_…`).
 * - `missing_signature`: there are no signature headers, or not all of them.
 * - `malformed_signature`: a signature header does not look like one, or came more than once.
 * - `wrong_signature`: body, headers and secret do not belong together.
 * - `outside_tolerance`: signed too long ago, or in the future; perhaps somebody sends an old delivery again.
 * - `body_not_json`: the signature is right and the body is no JSON object.
 */
export type WebhookFault =
  | 'body_not_raw'
  | 'bad_secret'
  | 'missing_signature'
  | 'malformed_signature'
  | 'wrong_signature'
  | 'outside_tolerance'
  | 'body_not_json';

/** The only thing `verifyWebhook` throws. Answer such a request with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.code = code;
  }
}
