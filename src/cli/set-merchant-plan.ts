import type { Command } from 'commander';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import { toPlan } from '../model/plan.ts';
import { lockMerchant } from '../store/merchants.ts';
import { findPlanOfMerchant, setMerchantPlan } from '../store/plans.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { readId } from './option-values.ts';
import { table } from './output.ts';
import { planCells, planHeads } from './plan-text.ts';

export function addSetMerchantPlan(group: Command): void {
  addCommand(
    group,
    'plan',
    'Show the plan of a merchant, or put it on another one',
    'merchant plan ID',
    'merchant plan ID --set self_hosted',
  )
    .argument('[id]', 'which; may be left out when there is one merchant', readId)
    .option('--set <plan>', 'the plan from now on, as "satline plan list" names it')
    .action(
      withParts<{ set?: string }>(async ({ parts }, options, id) => {
        const merchant = await chooseMerchant(parts.db, id);
        const { set: slug } = options;
        let hasChanged = false;
        if (slug !== undefined) {
          const now = parts.clock.now();
          hasChanged = await parts.db.transaction(async (tx) => {
            await lockMerchant(tx, merchant.id);
            if ((await findPlanOfMerchant(tx, merchant.id)).slug === slug) return false;
            if (!(await setMerchantPlan(tx, merchant.id, slug, now))) {
              throw new CliFailure(`There is no plan ${JSON.stringify(slug)}. "satline plan list" shows them.`);
            }
            await recordOperatorAudit(tx, {
              merchantId: merchant.id,
              action: 'change_plan',
              subjectId: merchant.id,
              now,
            });
            return true;
          });
        }
        const plan = await findPlanOfMerchant(parts.db, merchant.id);
        const is = slug === undefined ? 'is on' : hasChanged ? 'is now on' : 'was already on';
        const when = hasChanged ? ' Running servers know within 2 seconds.' : '';
        return {
          json: { object: 'merchant_plan', merchant_id: merchant.id, plan: toPlan(plan) },
          text: `${merchant.name} ${is} the plan ${plan.name}.${when}\n\n${table(planHeads, [planCells(plan)])}`,
        };
      }),
    );
}
