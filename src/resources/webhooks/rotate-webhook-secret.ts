import { Type } from 'typebox';
import { newWebhookSecret } from '../../events/signature.ts';
import { openWebhookSecrets, sealWebhookSecret } from '../../flows/webhook-secrets.ts';
import { addSeconds } from '../../kernel/clock.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import { inputObject, optional } from '../../model/fields.ts';
import { rotatedWebhookSchema, toWebhook } from '../../model/webhook.ts';
import { json, operation } from '../../operation/operation.ts';
import { lockWebhook, setWebhookSecrets } from '../../store/webhooks.ts';

/** How long both secrets sign. */
const overlapSeconds = 24 * 3600;

export const rotateWebhookSecret = operation({
  name: 'rotate_webhook_secret',
  summary: 'Give a webhook a new secret; the old one signs as well for 24 hours',
  description:
    'The answer is the only one that shows the new `secret_key`. Meanwhile `webhook-signature` carries both signatures, ' +
    '`X-Service-Signature` that of the new secret and `X-Service-Signature-Previous` that of the old one. A second ' +
    'rotation in that time is refused unless `overlap_seconds` is 0: then the old secrets stop at once, as they should ' +
    'after a leak.',
  method: 'POST',
  path: '/api/v1/m/webhooks/{id}/rotate_secret',
  access: { permission: 'webhooks:write' },
  params: { id: 'Webhook' },
  body: inputObject({
    overlap_seconds: optional(
      Type.Integer({ minimum: 0, maximum: overlapSeconds, description: 'How long the old secret signs as well' }),
    ),
  }),
  answer: json(rotatedWebhookSchema),
  fails: ['not_found', 'conflict'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params, body }) {
    const { sealer } = call.parts;
    const webhook = await lockWebhook(call.db, call.scope, params.id!);
    if (!webhook) throw notFound('Webhook');
    const { current, previous } = openWebhookSecrets(sealer, webhook.id, webhook, call.now);
    const overlap = body.overlap_seconds ?? overlapSeconds;
    if (previous !== undefined && overlap > 0) {
      throw new AppError(
        'conflict',
        'The secret was rotated within the last 24 hours and its predecessor still signs; send overlap_seconds 0 to end both',
      );
    }
    const secret = newWebhookSecret();
    const until = overlap > 0 ? addSeconds(call.now, overlap) : null;
    const sealed = {
      secret: sealWebhookSecret(sealer, webhook.id, 'secret', secret),
      previous_secret: until && sealWebhookSecret(sealer, webhook.id, 'previous_secret', current),
      previous_secret_until: until,
    };
    await setWebhookSecrets(call.db, call.scope, webhook.id, sealed, call.now);
    return {
      ...toWebhook({ ...webhook, updated_at: call.now }),
      secret_key: secret,
      previous_secret_expires_at: until?.toISOString() ?? null,
    };
  },
});
