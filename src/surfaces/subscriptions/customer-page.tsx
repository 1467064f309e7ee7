import { render } from 'preact-render-to-string';
import type { CustomerView } from '../../flows/customer-subscription.ts';
import { formatMoney } from '../../kernel/money.ts';
import { qrSvg } from '../../kernel/qr.ts';
import type { SubscriptionRow, SubscriptionStatus } from '../../model/subscription.ts';
import { priceCharge } from '../../model/subscription-charge.ts';
import { readStyle } from '../pages/assets.ts';
import type { Theme } from '../pages/colours.ts';
import { themeStyle } from '../pages/theme-style.ts';

const style = readStyle('./customer.css', import.meta.url);
/** Without a script the page looks again by itself while it waits for a payment. */
const refreshSeconds = 5;

const states: Record<SubscriptionStatus, { text: string; tone: string }> = {
  invited: { text: 'Invitation', tone: '' },
  trialing: { text: 'Not charged yet', tone: 'ok' },
  active: { text: 'Active', tone: 'ok' },
  past_due: { text: 'Payment overdue', tone: 'bad' },
  paused: { text: 'Paused', tone: 'warn' },
  cancelled: { text: 'Ended', tone: '' },
};

/** The customer's page: what it is, what is to be paid, what was paid, and the way out. Works without a script. */
export function customerPage(view: CustomerView, link: string, nonce: string): string {
  const { subscription, merchant, unpaid } = view;
  const base = `/subscriptions/${link}`;
  const state = states[subscription.status];
  return document(
    {
      title: `${subscription.name} – ${merchant.name}`,
      nonce,
      theme: merchant.checkout_theme as Theme,
      accent: merchant.checkout_accent_color,
      refresh: unpaid?.invoice !== undefined,
    },
    <main>
      {!subscription.livemode && <p class="test">Test mode: no money moves here.</p>}
      <p class="merchant">{merchant.name}</p>
      <h1>{subscription.name}</h1>
      <p>
        <span class={`state ${state.tone}`}>{state.text}</span>
      </p>
      <p class="price">
        {formatMoney(subscription.amount_cents, subscription.currency)}{' '}
        <small class="note">{intervalText(subscription)}</small>
      </p>
      <Terms subscription={subscription} />
      {subscription.status === 'invited' && <Button action={`${base}/accept`} text="Accept and start" />}
      {unpaid && <Payment view={view} base={base} />}
      <History view={view} />
      {!['cancelled'].includes(subscription.status) && !subscription.cancel_at_period_end && (
        <details>
          <summary>{subscription.status === 'invited' ? 'Decline the invitation' : 'Cancel the subscription'}</summary>
          <p class="note">{cancelText(view)}</p>
          <Button
            action={`${base}/cancel`}
            text={subscription.status === 'invited' ? 'Decline' : 'Cancel subscription'}
            quiet
          />
        </details>
      )}
    </main>,
  );
}

/** For an address that leads to nothing. */
export function unknownPage(nonce: string): string {
  return document(
    { title: 'Not found', nonce, theme: 'auto', accent: null, refresh: false },
    <main>
      <h1>There is no such subscription</h1>
      <p class="note">Look at the link again, or ask whoever sent it to you.</p>
    </main>,
  );
}

/** When something could not be done: what, and the way back. */
export function refusalPage(text: string, link: string, nonce: string): string {
  return document(
    { title: 'Not possible now', nonce, theme: 'auto', accent: null, refresh: false },
    <main>
      <h1>That did not work</h1>
      <p>{text}</p>
      <p>
        <a href={`/subscriptions/${link}`}>Back to the subscription</a>
      </p>
    </main>,
  );
}

function Terms({ subscription }: { subscription: SubscriptionRow }) {
  const { first_charge_cents: first, amount_cents: amount, currency, time_zone: zone } = subscription;
  const percent = Number(subscription.bitcoin_discount_percent);
  const charge = priceCharge({ ...subscription, current_period_start: subscription.invited_at });
  const ends = subscription.cancel_at_period_end ? 'Ends on' : 'Next charge';
  return (
    <dl>
      {subscription.status === 'invited' && subscription.starts_on && (
        <Fact name="Starts on" value={dayText(new Date(`${subscription.starts_on}T12:00:00Z`), 'UTC')} />
      )}
      {subscription.status === 'invited' && subscription.trial_days > 0 && (
        <Fact name="Free at first" value={`${subscription.trial_days} days`} />
      )}
      {first !== amount && subscription.current_period_start === null && (
        <Fact name="First charge" value={formatMoney(first, currency)} />
      )}
      {percent > 0 && <Fact name="Discount for bitcoin" value={`${percent} %`} />}
      {charge.taxCents > 0 && <Fact name="Tax in it" value={formatMoney(charge.taxCents, currency)} />}
      {charge.totalCents !== amount && subscription.status !== 'cancelled' && (
        <Fact name="Each charge" value={formatMoney(charge.totalCents, currency)} />
      )}
      {subscription.next_billing_at && <Fact name={ends} value={dayText(subscription.next_billing_at, zone)} />}
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function Payment({ view, base }: { view: CustomerView; base: string }) {
  const { order, invoice } = view.unpaid!;
  const price = formatMoney(order.total_amount_cents, order.currency);
  if (!invoice) return <Button action={`${base}/pay`} text={`Pay ${price}`} />;
  const address = `lightning:${invoice.bolt11.toUpperCase()}`;
  return (
    <section aria-label="Payment">
      <h2>
        Pay {price} ({invoice.amount_sats.toLocaleString('en-US')} sats)
      </h2>
      <a class="qr" href={address} dangerouslySetInnerHTML={{ __html: qrSvg(address) }} />
      <a class="wallet" href={address}>
        Open in wallet
      </a>
      <code>{invoice.bolt11}</code>
      <p class="note">This page notices your payment by itself.</p>
    </section>
  );
}

function History({ view }: { view: CustomerView }) {
  if (view.periods.length === 0) return null;
  return (
    <section aria-label="History">
      <h2>History</h2>
      <table>
        <tbody>
          {view.periods.map(({ period, order }) => (
            <tr key={period.id}>
              <td>{dayText(period.starts_at, view.subscription.time_zone)}</td>
              <td>{formatMoney(order.total_amount_cents, order.currency)}</td>
              <td>{order.status === 'pending' ? 'to be paid' : order.status}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Button({ action, text, quiet = false }: { action: string; text: string; quiet?: boolean }) {
  return (
    <form method="post" action={action}>
      <button type="submit" class={quiet ? 'quiet' : ''}>
        {text}
      </button>
    </form>
  );
}

interface Frame {
  title: string;
  nonce: string;
  theme: Theme;
  accent: string | null;
  refresh: boolean;
}

function document({ title, nonce, theme, accent, refresh }: Frame, body: preact.JSX.Element): string {
  const sheet = themeStyle(theme, accent) + style;
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        {refresh && <meta http-equiv="refresh" content={String(refreshSeconds)} />}
        <title>{title}</title>
        <style nonce={nonce} dangerouslySetInnerHTML={{ __html: sheet }} />
      </head>
      <body>{body}</body>
    </html>
  );
  return `<!doctype html>${render(page)}`;
}

function intervalText({ interval_unit: unit, interval_count: count }: SubscriptionRow): string {
  return count === 1 ? `a ${unit}` : `every ${count} ${unit}s`;
}

function cancelText({ subscription, unpaid }: CustomerView): string {
  if (subscription.status === 'invited') return 'Nothing was charged.';
  if (unpaid) return 'It ends at once, and the open amount is no longer to be paid.';
  return 'It goes on until the period that you have paid for, or your trial, is over.';
}

function dayText(moment: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone }).format(moment);
}
