import { type Handle, statement } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import type { PlanRow } from '../model/plan.ts';

const columns = `slug, name, description, price_cents, currency, min_monthly_volume_cents, max_monthly_volume_cents, features,
  requires_kyc, on_sale, per_api_key_per_minute, per_api_key_per_hour, delivery_per_order_per_hour,
  unauthenticated_per_minute`;
const listPublic = statement(
  'plans_list_public',
  `select ${columns} from plans where is_public order by position, slug`,
);

const listAll = statement('plans_list_all', `select ${columns} from plans order by position, slug`);
const findOfMerchant = statement(
  'plans_find_of_merchant',
  `select ${columns} from plans where slug = (select plan_slug from merchants where id = $1)`,
);
const setOfMerchant = statement(
  'plans_set_of_merchant',
  `update merchants set plan_slug = plans.slug, updated_at = $3 from plans where merchants.id = $1 and plans.slug = $2`,
);

const findPerMinute = statement(
  'plans_find_per_minute',
  'select p.per_api_key_per_minute as per_minute from merchants m join plans p on p.slug = m.plan_slug where m.id = $1',
);
// Nothing is read of payments where the plan has no limit.
const volume = statement(
  'plans_volume',
  `select p.max_monthly_volume_cents, m.currency, v.own, v.other_usd
     from merchants m join plans p on p.slug = m.plan_slug,
          lateral (
            select coalesce(sum(worth.own), 0)::text as own,
                   coalesce(sum(y.usd_value::numeric) filter (where worth.own is null), 0)::text as other_usd
              from payments y,
                   lateral (select case when y.merchant_currency = m.currency then y.merchant_value::numeric
                                        when y.currency = m.currency then y.fiat_value::numeric end as own) worth
             where p.max_monthly_volume_cents is not null
               and y.merchant_id = m.id and y.livemode = $2 and y.created_at >= $3 and y.kind = 'lightning'
          ) v
    where m.id = $1`,
);
const findFeatures = statement(
  'plans_find_features',
  'select p.features from merchants m join plans p on p.slug = m.plan_slug where m.id = $1',
);

/** What the plan of a merchant allows. */
export async function findPlanFeatures(db: Handle, merchantId: string): Promise<PlanRow['features']> {
  return (await db.maybeOne<Pick<PlanRow, 'features'>>(findFeatures, [merchantId]))!.features;
}

/** Requests a minute that each of a merchant's keys may make. */
export async function findPlanPerMinute(db: Handle, merchantId: string): Promise<number> {
  return (await db.maybeOne<{ per_minute: number }>(findPerMinute, [merchantId]))!.per_minute;
}

/** What a merchant took over Lightning since `since`, and how much its plan allows; amounts are decimal text. */
interface Volume {
  /** Minor units of the merchant's currency; null: no limit, and nothing was added up. */
  max_monthly_volume_cents: number | null;
  currency: string;
  /** Of payments whose value in the merchant's currency is known, in its major unit. */
  own: string;
  /** Of all others, in dollars: they came before the merchant changed the currency. */
  other_usd: string;
}

export async function readVolume(db: Handle, scope: Scope, since: Date): Promise<Volume> {
  return (await db.maybeOne<Volume>(volume, [scope.merchantId, scope.livemode, since]))!;
}

/** What anybody may see, in the order of the price list. */
export function listPublicPlans(db: Handle): Promise<PlanRow[]> {
  return db.many(listPublic);
}

/** For the operator: also those that are not public. */
export function listPlansForOperator(db: Handle): Promise<PlanRow[]> {
  return db.many(listAll);
}

export async function findPlanOfMerchant(db: Handle, merchantId: string): Promise<PlanRow> {
  return (await db.maybeOne<PlanRow>(findOfMerchant, [merchantId]))!;
}

/** For the operator. @returns false when there is no such plan. */
export async function setMerchantPlan(tx: Handle, merchantId: string, slug: string, now: Date): Promise<boolean> {
  return (await tx.run(setOfMerchant, [merchantId, slug, now])) === 1;
}
