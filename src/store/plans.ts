import { type Handle, statement } from '../db/database.ts';
import type { PlanRow } from '../model/plan.ts';

const columns = `slug, name, description, price_cents, currency, min_monthly_volume_cents, max_monthly_volume_cents, features,
  requires_kyc, on_sale, per_api_key_per_minute, per_api_key_per_hour, delivery_per_order_per_hour,
  unauthenticated_per_minute`;
const listPublic = statement(
  'plans_list_public',
  `select ${columns} from plans where is_public order by position, slug`,
);

const findFeatures = statement(
  'plans_find_features',
  'select p.features from merchants m join plans p on p.slug = m.plan_slug where m.id = $1',
);

/** What the plan of a merchant allows. */
export async function findPlanFeatures(db: Handle, merchantId: string): Promise<PlanRow['features']> {
  return (await db.maybeOne<Pick<PlanRow, 'features'>>(findFeatures, [merchantId]))!.features;
}

/** What anybody may see, in the order of the price list. */
export function listPublicPlans(db: Handle): Promise<PlanRow[]> {
  return db.many(listPublic);
}
