import { orderViewSchema } from '../../model/order-view.ts';
import { jsonSharing, operation } from '../../operation/operation.ts';
import { orderExpansions, readOrderView } from './read-order-view.ts';

export const getOrder = operation({
  name: 'get_order',
  summary: 'Show an order with its merchant and payment',
  method: 'GET',
  path: '/api/v1/m/orders/{id}',
  access: { permission: 'orders:read' },
  params: { id: 'Order' },
  query: { expand: orderExpansions },
  answer: jsonSharing('merchant', orderViewSchema),
  fails: ['not_found'],
  tool: {
    description:
      'See one order: whether it is paid (status), what it asks for and its payment. To watch a payment ' +
      'arrive, check_invoice_status is quicker.',
    rename: { id: 'order_id' },
  },
  run: (call, { params, expand }) => readOrderView(call, params.id!, expand),
});
