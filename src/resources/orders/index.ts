import { cancelOrder } from './cancel-order.ts';
import { createOrder } from './create-order.ts';
import { getOrder } from './get-order.ts';
import { listOrders } from './list-orders.ts';
import { updateOrder } from './update-order.ts';

export const orderOperations = [listOrders, createOrder, getOrder, updateOrder, cancelOrder];
