import { type Handle, statement } from '../db/database.ts';
import type { PlanRow } from '../model/plan.ts';

const columns = `slug, name, description, price_cents, currency, min_monthly_volume_cents, max_monthly_volume_cents, features,
  requires_kyc, on_sale, per_api_key_per_minute, per_api_key_per_hour, delivery_per_order_per_hour,
  unauthenticated_per_minute`;
const listPublic = statement(
  'plans_list_public',
  `select ${columns} from plans where is_public order by position, slug`,
);

/** What anybody may see, in the order of the price list. */
export function listPublicPlans(db: Handle): Promise<PlanRow[]> {
  return db.many(listPublic);
}
