import type { SigningSecrets } from '../events/signature.ts';
import type { Sealer } from '../kernel/secrets.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import type { WebhookRow } from '../model/webhook.ts';

type SecretColumn = 'secret' | 'previous_secret';

const placeOf = (webhookId: string, column: SecretColumn) => sealedPlace(`webhooks.${column}`, webhookId);

export function sealWebhookSecret(sealer: Sealer, webhookId: string, column: SecretColumn, secret: string): Buffer {
  return sealer.seal(secret, placeOf(webhookId, column));
}

/** What an endpoint's deliveries are signed with now: after a rotation the old secret too, for a while. */
export function openWebhookSecrets(
  sealer: Sealer,
  webhookId: string,
  sealed: Pick<WebhookRow, 'secret' | 'previous_secret' | 'previous_secret_until'>,
  now: Date,
): SigningSecrets {
  const { secret, previous_secret, previous_secret_until } = sealed;
  const open = (column: SecretColumn, bytes: Buffer) => sealer.open(bytes, placeOf(webhookId, column)).toString();
  const overlaps = previous_secret !== null && previous_secret_until !== null && now < previous_secret_until;
  return {
    current: open('secret', secret),
    previous: overlaps ? open('previous_secret', previous_secret) : undefined,
  };
}
