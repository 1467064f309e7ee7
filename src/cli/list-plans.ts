import type { Command } from 'commander';
import { toPlan } from '../model/plan.ts';
import { listPlansForOperator } from '../store/plans.ts';
import { addCommand, withParts } from './command.ts';
import { table } from './output.ts';
import { planCells, planHeads } from './plan-text.ts';

export function addListPlans(group: Command): void {
  addCommand(group, 'list', 'Show all plans with their limits, also those that are not public', 'plan list').action(
    withParts(async ({ parts }) => {
      const plans = await listPlansForOperator(parts.db);
      return {
        json: { object: 'list', data: plans.map(toPlan) },
        text: table(planHeads, plans.map(planCells)),
      };
    }),
  );
}
