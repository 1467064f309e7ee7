export { signWebhook } from './sign-webhook.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from './verify-webhook.ts';
export { type WebhookFault, WebhookVerificationError } from './webhook-verification-error.ts';
