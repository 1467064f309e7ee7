import type { Command } from 'commander';
import { explainOrder } from '../flows/explain-order.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';

export function addExplain(program: Command): void {
  addCommand(
    program,
    'explain <order>',
    'Tell the whole life of an order: wallet asked, looked up, settled, events',
    'explain ORD-000001',
    'explain 01a21fa1-e8b2-7098-99fd-57d9840e3636 --json',
  ).action(
    withParts(async ({ parts }, _options, reference) => {
      const story = await explainOrder(parts.db, reference!, parts.clock.now());
      if (!story) {
        throw new CliFailure(
          `No single order is called ${reference}. Give its id, or a number that only one order has.`,
        );
      }
      const { order, moments } = story;
      const lines = moments.map(({ at, what }) => `${at.toISOString()}  ${what}`);
      const state = `Order ${order.order_number} (${order.id}) of merchant ${order.merchant_id}, ${order.livemode ? 'live' : 'test'}, is ${order.status}.`;
      return {
        json: { object: 'order_story', order_id: order.id, status: order.status, moments },
        text: `${state}\n\n${lines.join('\n')}`,
      };
    }),
  );
}
