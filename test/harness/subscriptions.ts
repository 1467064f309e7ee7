import { stepDueSubscriptions } from '../../src/jobs/bill-subscriptions.ts';
import type { TestApp } from './app.ts';
import type { Client, Reply } from './client.ts';
import { newVisitorAddress } from './visitors.ts';

/** Invites somebody. @throws unless they are. */
export async function invite(client: Client, subscription: Record<string, unknown> = {}) {
  const reply = await client.post('/api/v1/m/subscriptions', {
    subscription: {
      name: 'Newsletter',
      amount_cents: 1000,
      interval_unit: 'month',
      customer_email: 'ada@example.com',
      ...subscription,
    },
  });
  if (reply.status !== 201) throw new Error(`No subscription: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

const asJson = { accept: 'application/json' };

/** What the customer does on their page, and the page as JSON afterwards. */
export function act(app: TestApp, { customer_url }: { customer_url: string }, deed: string): Promise<Reply> {
  return app.stranger.from(newVisitorAddress()).post(`${new URL(customer_url).pathname}/${deed}`, undefined, asJson);
}

export function customerPage(
  app: TestApp,
  { customer_url }: { customer_url: string },
  headers: Record<string, string> = asJson,
) {
  return app.stranger.from(newVisitorAddress()).get(new URL(customer_url).pathname, headers);
}

/** Invites somebody, who accepts. @returns the subscription as the merchant sees it then. */
export async function subscribe(app: TestApp, client: Client, subscription: Record<string, unknown> = {}) {
  const invited = await invite(client, subscription);
  const accepted = await act(app, invited, 'accept');
  if (accepted.status !== 200) throw new Error(`Not accepted: ${JSON.stringify(accepted.body)}`);
  return show(client, invited.id);
}

export async function show(client: Client, id: string) {
  return (await client.get(`/api/v1/m/subscriptions/${id}`)).body;
}

/** Everything that time wants of subscriptions by now, as the job does it. */
export async function runBilling(app: TestApp): Promise<void> {
  while ((await stepDueSubscriptions(app.parts)) > 0);
}

/** Sets the clock, forwards or back, and lets the job do what is due. */
export async function goTo(app: TestApp, moment: string): Promise<void> {
  app.clock.set(new Date(moment));
  await runBilling(app);
}

interface OrderOfPeriod {
  id: string;
  status: string;
  total_amount_cents: number;
  starts_at: Date;
  ends_at: Date;
}

/** The orders of a subscription's periods, oldest first. */
export function ordersOf(app: TestApp, { id }: { id: string }): Promise<OrderOfPeriod[]> {
  return app.rows(
    `select o.id, o.status, o.total_amount_cents, p.starts_at, p.ends_at
       from subscription_periods p join orders o on o.id = p.order_id where p.subscription_id = $1 order by p.number`,
    [id],
  );
}

/** The customer pays the open order over Lightning. @returns the payment. */
export async function pay(app: TestApp, client: Client, subscription: { id: string; customer_url: string }) {
  const paid = await act(app, subscription, 'pay');
  if (paid.body.invoice === null) throw new Error('Nothing to pay');
  const [invoice] = await app.rows<{ id: string }>('select id from invoices where bolt11 = $1', [
    paid.body.invoice.payment_request,
  ]);
  const reply = await client.post(`/api/v1/m/invoices/${invoice!.id}/simulate_payment`);
  if (reply.status !== 200) throw new Error(`Not paid: ${JSON.stringify(reply.body)}`);
  return reply.body;
}
