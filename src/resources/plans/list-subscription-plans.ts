import { Type } from 'typebox';
import { planSchema, toPlan } from '../../model/plan.ts';
import { json, publicOperation } from '../../operation/operation.ts';
import { listPublicPlans } from '../../store/plans.ts';

export const listSubscriptionPlans = publicOperation({
  name: 'list_subscription_plans',
  summary: 'What merchants can subscribe to',
  method: 'GET',
  path: '/api/v1/pub/subscription_plans',
  answer: json(Type.Object({ plans: Type.Array(planSchema) })),
  cacheSeconds: 300,
  tool: { description: 'List the plans of this service with their prices and limits. Public.' },
  run: async (call) => ({ plans: (await listPublicPlans(call.db)).map(toPlan) }),
});
