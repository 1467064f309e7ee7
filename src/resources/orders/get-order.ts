import { notFound } from '../../kernel/errors.ts';
import { orderViewSchema } from '../../model/order-view.ts';
import { json, operation } from '../../operation/operation.ts';
import { findOrder } from '../../store/orders.ts';
import { orderExpansions, readOrderView } from './read-order-view.ts';

export const getOrder = operation({
  name: 'get_order',
  summary: 'Show an order with its merchant and payment',
  method: 'GET',
  path: '/api/v1/m/orders/{id}',
  access: { permission: 'orders:read' },
  params: { id: 'Order' },
  query: { expand: orderExpansions },
  answer: json(orderViewSchema),
  fails: ['not_found'],
  tool: { rename: { id: 'order_id' } },
  async run(call, { params, expand }) {
    const find = async () => {
      const order = await findOrder(call.db, call.scope, params.id!);
      if (!order) throw notFound('Order');
      return order;
    };
    return readOrderView(call, find, params.id!, expand);
  },
});
