import { listSubscriptionPlans } from './list-subscription-plans.ts';

export const planOperations = [listSubscriptionPlans];
