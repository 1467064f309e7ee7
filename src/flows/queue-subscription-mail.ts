import type { Handle } from '../db/database.ts';
import { formatMoney } from '../kernel/money.ts';
import type { OrderRow } from '../model/order.ts';
import type { SubscriptionRow } from '../model/subscription.ts';
import { findMerchant } from '../store/merchants.ts';
import { customerUrl } from './customer-url.ts';
import type { Parts } from './parts.ts';
import { queueMail } from './queue-mail.ts';

interface Told {
  /** Of the subscription. */
  name: string;
  merchant: string;
  /** Of the order, when there is one. */
  amount: string;
  day: string;
}

type Occasion = 'invited' | 'trial_ends' | 'charged' | 'past_due';

/** What the customer is written, by occasion: subject and first sentence. The link to their page follows. */
const letters: Readonly<Record<Occasion, (told: Told) => readonly [subject: string, sentence: string]>> = {
  invited: ({ name, merchant }: Told) => [
    `${merchant} invites you: ${name}`,
    `${merchant} invites you to subscribe to ${name}. Nothing is charged before you accept. Look at it here:`,
  ],
  trial_ends: ({ name, merchant, day }: Told) => [
    `${name}: the trial ends on ${day}`,
    `Your trial of ${name} by ${merchant} ends on ${day}, and the first charge is made then. Look at it or cancel here:`,
  ],
  charged: ({ name, merchant, amount }: Told) => [
    `${name}: ${amount} to pay`,
    `A new period of ${name} by ${merchant} has begun. Please pay ${amount} here, with bitcoin over Lightning:`,
  ],
  past_due: ({ name, merchant, amount }: Told) => [
    `${name}: ${amount} is still to be paid`,
    `${amount} for ${name} by ${merchant} is still open. If it stays so for two more weeks, the subscription ends. Pay here:`,
  ],
};

/** Writes to the customer in the transaction of what happened, where a mail server is set. */
export async function queueSubscriptionMail(
  tx: Handle,
  parts: Parts,
  occasion: Occasion,
  row: SubscriptionRow,
  now: Date,
  order?: OrderRow,
): Promise<void> {
  if (!parts.mailer) return;
  const merchant = (await findMerchant(tx, row.merchant_id))!;
  const [subject, sentence] = letters[occasion]({
    name: row.name,
    merchant: merchant.name,
    amount: order ? formatMoney(order.total_amount_cents, order.currency) : '',
    day: row.trial_ends_at
      ? new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: row.time_zone }).format(row.trial_ends_at)
      : '',
  });
  const mail = {
    to: row.customer_email,
    subject: row.livemode ? subject : `[Test] ${subject}`,
    text: `${sentence}\n\n${customerUrl(parts, row)}\n\nWhoever has this link can act for you: keep it to yourself.\n`,
  };
  await queueMail(tx, parts, row.merchant_id, mail, now);
}
