import type { Command } from 'commander';
import { signAccessToken } from '../entitlements/access-token.ts';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import { addSeconds } from '../kernel/clock.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { readDays, readId, readName } from './option-values.ts';

interface Options {
  merchant?: string;
  live?: true;
  resource: string;
  type: string;
  days: number;
}

/** Tokens of the first kind name a resource of the merchant's own, not a product: for what was sold elsewhere. */
export function addCreateAccessToken(group: Command): void {
  addCommand(
    group,
    'create',
    'Sign an access token for something that is no product here, and print it',
    'access-token create --live --resource film-7 --type video --days 30',
  )
    .requiredOption('--resource <id>', 'what it opens; your own name for it', readName)
    .option('--type <type>', 'what kind of thing that is', readName, 'resource')
    .option('--days <n>', 'how long it is good', readDays, 30)
    .option('--merchant <id>', 'whose; may be left out when there is one merchant', readId)
    .option('--live', 'for live keys; without it for test keys')
    .action(
      withParts<Options>(async ({ parts }, options) => {
        const merchant = await chooseMerchant(parts.db, options.merchant);
        const scope = { merchantId: merchant.id, livemode: options.live === true };
        const key = await parts.accessKeys.require(scope);
        const now = parts.clock.now();
        const expiresAt = addSeconds(now, options.days * 24 * 3600);
        await parts.db.transaction((tx) =>
          recordOperatorAudit(tx, { ...scope, action: 'create_access_token', subjectId: options.resource, now }),
        );
        const token = signAccessToken({ resourceId: options.resource, resourceType: options.type, expiresAt }, key);
        return { json: { access_token: token, expires_at: expiresAt.toISOString() }, text: token };
      }),
    );
}
