import type { JSX } from 'preact';
import type { CustomerView } from '../../flows/customer-subscription.ts';
import { qrSvg } from '../../kernel/qr.ts';
import type { SubscriptionStatus } from '../../model/subscription.ts';
import { priceCharge } from '../../model/subscription-charge.ts';
import { copyScript, readAsset, readStyle } from '../pages/assets.ts';
import type { Theme } from '../pages/colours.ts';
import { LanguageMenu, raw, renderPage } from '../pages/document.tsx';
import { figuresOf } from '../pages/figures.ts';
import { Icon } from '../pages/icons.tsx';
import { dictionaryOf, type Language, lengthText } from '../pages/language.ts';
import { LinkButton, Ltr, MerchantMark, ResultMark, SubmitButton } from '../pages/parts.tsx';
import { dayText, intervalText, wordsOf } from './words.ts';

const style = readStyle('./customer.css', import.meta.url);
const script = `${copyScript}\n${readAsset('./customer-script.js', import.meta.url)}`;
/** Where no script runs, the page that waits for a payment is shown anew so often. */
const refreshSeconds = 5;

const tones: Readonly<Record<SubscriptionStatus, string>> = {
  invited: '',
  trialing: 'ok',
  active: 'ok',
  past_due: 'bad',
  paused: 'warn',
  cancelled: '',
};

/** What all parts of the page know. */
interface Shown {
  readonly view: CustomerView;
  readonly link: string;
  readonly language: Language;
}

/** The customer's page: what it is, what is to be paid, what was paid, and the way out. */
export function renderCustomerPage(view: CustomerView, link: string, language: Language, nonce: string): string {
  const { subscription, merchant, unpaid } = view;
  const shown = { view, link, language };
  const words = wordsOf(language);
  const mayLeave = subscription.status !== 'cancelled' && !subscription.cancel_at_period_end;
  return renderPage({
    title: `${subscription.name} – ${merchant.name}`,
    language,
    nonce,
    theme: merchant.checkout_theme as Theme,
    accent: merchant.checkout_accent_color,
    testMode: !subscription.livemode,
    kind: 'subscription',
    styles: [style],
    head: unpaid?.invoice && (
      <noscript>
        <meta http-equiv="refresh" content={String(refreshSeconds)} />
      </noscript>
    ),
    script: unpaid?.invoice && script,
    children: (
      <>
        <MerchantMark name={merchant.name} logoUrl={merchant.logo_url} />
        <div class="card">
          <div class="head">
            <h1>
              <bdi>{subscription.name}</bdi>
            </h1>
            <span class={`state ${tones[subscription.status]}`}>{words.states[subscription.status]}</span>
            <p class="price">
              <Ltr>{figuresOf(language).money(subscription.amount_cents, subscription.currency)}</Ltr>{' '}
              <small>{intervalText(subscription, language)}</small>
            </p>
          </div>
          <Terms {...shown} />
          {subscription.status === 'invited' && <Deed {...shown} name="accept" text={words.accept} accent />}
          {unpaid && <Payment {...shown} />}
        </div>
        <History {...shown} />
        {mayLeave && <Leave {...shown} />}
        <footer class="foot">
          <LanguageMenu language={language} />
        </footer>
      </>
    ),
  });
}

/** For an address that leads to nothing. */
export function renderUnknownPage(language: Language, nonce: string): string {
  const words = wordsOf(language);
  return renderPage({
    title: words.unknown,
    language,
    nonce,
    children: (
      <section class="card result">
        <ResultMark tone="bad" />
        <h1>{words.unknown}</h1>
        <p>{words.unknownText}</p>
      </section>
    ),
  });
}

/** When something could not be done: what, and the way back. */
export function renderRefusalPage(text: string, link: string, language: Language, nonce: string): string {
  const words = wordsOf(language);
  return renderPage({
    title: words.failed,
    language,
    nonce,
    children: (
      <section class="card result">
        <ResultMark tone="bad" />
        <h1>{words.failed}</h1>
        <p lang="en" dir="ltr">
          {text}
        </p>
        <div class="stack">
          <LinkButton href={`/subscriptions/${link}?locale=${language}`}>{words.back}</LinkButton>
        </div>
      </section>
    ),
  });
}

function Terms({ view: { subscription }, language }: Shown): JSX.Element {
  const words = wordsOf(language);
  const money = (cents: number) => <Ltr>{figuresOf(language).money(cents, subscription.currency)}</Ltr>;
  const { status, time_zone: zone, starts_on: startsOn, trial_days: trialDays } = subscription;
  const hasStarted = subscription.current_period_start !== null;
  const first = priceCharge({ ...subscription, current_period_start: null });
  const later = priceCharge({ ...subscription, current_period_start: subscription.invited_at });
  const percent = subscription.bitcoin_discount_percent;
  const facts: [name: string, value: JSX.Element | string | false | null][] = [
    [words.startsOn, status === 'invited' && startsOn && dayText(new Date(`${startsOn}T12:00:00Z`), 'UTC', language)],
    [words.free, status === 'invited' && trialDays > 0 && lengthText(trialDays, 'day', language)],
    [words.firstCharge, !hasStarted && first.totalCents !== later.totalCents && money(first.totalCents)],
    [words.bitcoinDiscount, Number(percent) > 0 && <Ltr>{figuresOf(language).percent(percent)}</Ltr>],
    [words.tax, later.taxCents > 0 && money(later.taxCents)],
    [words.eachCharge, later.totalCents !== subscription.amount_cents && money(later.totalCents)],
    [
      subscription.cancel_at_period_end ? words.endsOn : words.nextCharge,
      subscription.next_billing_at && dayText(subscription.next_billing_at, zone, language),
    ],
  ];
  return (
    <dl class="lines">
      {facts.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function Payment(shown: Shown): JSX.Element {
  const { view, language } = shown;
  const { order, paidCents, invoice } = view.unpaid!;
  const figures = figuresOf(language);
  const words = wordsOf(language);
  const { checkout, alreadyPaid } = dictionaryOf(language);
  const pay = words.pay(figures.money(order.total_amount_cents - paidCents, order.currency));
  const paid = paidCents > 0 && (
    <p class="small">
      {alreadyPaid}: <Ltr>{figures.money(paidCents, order.currency)}</Ltr>
    </p>
  );
  if (!invoice) {
    return (
      <>
        <Deed {...shown} name="pay" text={pay} accent />
        {paid}
      </>
    );
  }
  const address = `lightning:${invoice.bolt11.toUpperCase()}`;
  return (
    <section aria-label={pay}>
      <p class="notice warn" id="offline" role="status" data-text={checkout.offline} hidden />
      <h2>
        {pay} <Ltr>({figures.sats(invoice.amount_sats)})</Ltr>
      </h2>
      {paid}
      <a class="qr" href={address} aria-label={checkout.qr} {...raw(qrSvg(address.toUpperCase()))} />
      <LinkButton href={address} icon="open" accent>
        {checkout.openWallet}
      </LinkButton>
      <p class="invoice code" dir="ltr" id="invoice">
        {invoice.bolt11}
      </p>
      <button
        type="button"
        class="button"
        id="copy"
        hidden
        data-copied={checkout.copied}
        data-copy-failed={checkout.copyFailed}
      >
        <Icon name="copy" />
        <span aria-live="polite">{checkout.copy}</span>
      </button>
      <p class="small">{words.noticing}</p>
      {!order.livemode && <Deed {...shown} name="simulate_payment" text={checkout.simulate} />}
    </section>
  );
}

function History({ view, language }: Shown): JSX.Element | null {
  if (view.periods.length === 0) return null;
  const words = wordsOf(language);
  const figures = figuresOf(language);
  return (
    <section class="card">
      <h2>{words.history}</h2>
      <dl class="lines">
        {view.periods.map(({ period, order, receipt }) => (
          <div key={period.id}>
            <dt>{dayText(period.starts_at, view.subscription.time_zone, language)}</dt>
            <dd>
              <Ltr>{figures.money(order.total_amount_cents, order.currency)}</Ltr> ·{' '}
              {receipt ? (
                <a href={`${receipt}?locale=${language}`}>{words.orders[order.status]}</a>
              ) : (
                words.orders[order.status]
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Leave(shown: Shown): JSX.Element {
  const { view, language } = shown;
  const words = wordsOf(language);
  const isInvited = view.subscription.status === 'invited';
  const text = isInvited ? words.declineText : view.unpaid ? words.cancelUnpaid : words.cancelLater;
  return (
    <details class="leave">
      <summary>{isInvited ? words.declining : words.cancelling}</summary>
      <div class="stack">
        <p class="small">{text}</p>
        <Deed {...shown} name="cancel" text={isInvited ? words.decline : words.cancel} />
      </div>
    </details>
  );
}

interface DeedProps extends Pick<Shown, 'link' | 'language'> {
  name: string;
  text: string;
  accent?: boolean;
}

function Deed({ link, language, name, text, accent = false }: DeedProps): JSX.Element {
  return (
    <form method="post" action={`/subscriptions/${link}/${name}?locale=${language}`}>
      <SubmitButton accent={accent}>{text}</SubmitButton>
    </form>
  );
}
