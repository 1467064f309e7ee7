import { cancelSubscription } from './cancel-subscription.ts';
import { createSubscription } from './create-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { pauseSubscription } from './pause-subscription.ts';
import { resumeSubscription } from './resume-subscription.ts';

export const subscriptionOperations = [
  listSubscriptions,
  createSubscription,
  getSubscription,
  pauseSubscription,
  resumeSubscription,
  cancelSubscription,
];
