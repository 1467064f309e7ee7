import { formatMoney } from '../kernel/money.ts';
import type { PlanRow } from '../model/plan.ts';

export const planHeads = ['PLAN', 'NAME', 'PRICE', 'A MINUTE', 'AN HOUR', 'VOLUME A MONTH'] as const;

/** A plan as a line of a table: requests of a key in a minute and in an hour, and what a merchant may take in a month. */
export function planCells(plan: PlanRow): string[] {
  const money = (cents: number) => formatMoney(cents, plan.currency);
  const { max_monthly_volume_cents: volume, per_api_key_per_hour: perHour } = plan;
  return [
    plan.slug,
    plan.name,
    plan.price_cents === 0 ? 'free' : money(plan.price_cents),
    String(plan.per_api_key_per_minute),
    perHour === null ? 'any' : String(perHour),
    volume === null ? 'any' : money(volume),
  ];
}
