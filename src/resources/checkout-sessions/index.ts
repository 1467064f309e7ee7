import { cancelCheckoutSession, cancelServerCheckoutSession } from './cancel-checkout-session.ts';
import {
  createCheckoutSession,
  createMerchantCheckoutSession,
  createServerCheckoutSession,
} from './create-checkout-session.ts';
import { getCheckoutSession, getServerCheckoutSession } from './get-checkout-session.ts';
import { listCheckoutSessions, listServerCheckoutSessions } from './list-checkout-sessions.ts';

export const checkoutSessionOperations = [
  createServerCheckoutSession,
  listServerCheckoutSessions,
  getServerCheckoutSession,
  cancelServerCheckoutSession,
  createMerchantCheckoutSession,
  listCheckoutSessions,
  getCheckoutSession,
  cancelCheckoutSession,
  createCheckoutSession,
];
