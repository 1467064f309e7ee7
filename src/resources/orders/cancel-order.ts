import { cancelOrder as cancel } from '../../flows/cancel-order.ts';
import { empty, operation } from '../../operation/operation.ts';

export const cancelOrder = operation({
  name: 'cancel_order',
  summary: 'Cancel a pending order',
  description: 'Its invoice closes but stays watched: money that still arrives is recorded and flagged.',
  method: 'DELETE',
  path: '/api/v1/m/orders/{id}',
  status: 204,
  access: { permission: 'orders:write' },
  params: { id: 'Order' },
  answer: empty,
  fails: ['not_found', 'conflict'],
  tool: {
    description: 'Call off an order that is not paid. It takes no payment any more; this cannot be undone.',
    rename: { id: 'order_id' },
  },
  idempotency: 'database',
  async run(call, { params }) {
    await cancel(call.db, call.scope, params.id!, call.now);
  },
});
