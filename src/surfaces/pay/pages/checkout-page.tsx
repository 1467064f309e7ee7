import { qrSvg } from '../../../kernel/qr.ts';
import type { CheckoutView } from '../../../model/checkout-view.ts';
import { readAsset } from '../../pages/assets.ts';
import { inlineJson } from '../../pages/inline-json.ts';
import { type Locale, say } from './languages.ts';
import { moneyText, rateText, satsText } from './money-text.ts';
import { Brand, Icon, LanguageChoice, type PageOptions, renderDocument } from './page.tsx';

const script = readAsset('./checkout-script.js', import.meta.url);
const refreshSeconds = 10;
/** The picture of an invoice never changes, and it is most of the work of a page. */
const pictures = new Map<string, string>();
const mostPictures = 500;

export interface CheckoutPageOptions extends PageOptions {
  /** The site that shows the page in a frame, if it may. */
  readonly parentOrigin?: string | undefined;
}

/** The checkout in any of its states. It works without a script; with one it looks after itself. */
export function renderCheckoutPage(view: CheckoutView, options: CheckoutPageOptions): string {
  const { locale, nonce, parentOrigin } = options;
  const isEmbedded = view.mode === 'iframe';
  const isLive = view.state === 'pending' || view.state === 'held' || view.state === 'unpayable';
  const boot = {
    state: view.state,
    base: `/checkout/${view.token}`,
    id: view.checkoutId,
    secondsLeft: view.secondsLeft,
    bolt11: view.bolt11 ?? null,
    redirectUrl: isEmbedded ? null : (view.redirectUrl ?? null),
    parentOrigin: parentOrigin ?? null,
    copied: locale.words.copied,
    copy: locale.words.copy,
  };
  return renderDocument(
    {
      nonce,
      locale,
      isEmbedded,
      title: `${titleOf(view, locale)} – ${view.merchant.name}`,
      theme: view.theme,
      accent: view.accentColor,
      livemode: view.livemode,
      refreshSeconds: isLive ? refreshSeconds : undefined,
      script,
      boot: inlineJson(boot),
    },
    <main data-state={view.state} data-boot={JSON.stringify(boot)}>
      {!isEmbedded && <Summary view={view} locale={locale} />}
      <section class="card" aria-labelledby="title">
        <p class="strip" hidden id="lost">
          {locale.words.lost}
        </p>
        <Card view={view} locale={locale} isEmbedded={isEmbedded} />
      </section>
      {!isEmbedded && (
        <footer>
          <p>
            <Icon name="lock" /> {say(locale.words.direct, view.merchant.name)}
          </p>
          {view.cancelUrl && isLive && (
            <p>
              <a href={view.cancelUrl} rel="noreferrer">
                {say(locale.words.back, view.merchant.name)}
              </a>
            </p>
          )}
          <LanguageChoice locale={locale} />
        </footer>
      )}
    </main>,
  );
}

function titleOf({ state }: CheckoutView, { words }: Locale): string {
  return {
    pending: words.scan,
    held: words.held,
    paid: words.paid,
    paid_late: words.paidLate,
    expired: words.expired,
    cancelled: words.cancelled,
    unpayable: words.unpayable,
  }[state];
}

function Summary({ view, locale }: { view: CheckoutView; locale: Locale }) {
  const { tag, words } = locale;
  const money = (amount: number) => moneyText(amount, view.currency, tag);
  return (
    <header class="summary">
      <Brand name={view.merchant.name} logoUrl={view.merchant.logoUrl} />
      <p class="amount">{money(view.amountCents)}</p>
      {view.amountSats !== undefined && view.amountSats > 0 && <p class="sats">{satsText(view.amountSats, tag)}</p>}
      <details class="lines" open>
        <summary>{words.details}</summary>
        <dl>
          {view.lines.map(({ name, qty, price_cents }) => (
            <div>
              <dt>
                {name}
                {qty > 1 && ` × ${qty}`}
              </dt>
              <dd>{money(price_cents * qty)}</dd>
            </div>
          ))}
          {view.discountCents > 0 && (
            <div>
              <dt>{words.discount}</dt>
              <dd>−{money(view.discountCents)}</dd>
            </div>
          )}
          {view.taxDetails.map(({ name, rate, amount_cents }) => (
            <div>
              <dt>
                {name} {rate} %
              </dt>
              <dd>{money(amount_cents)}</dd>
            </div>
          ))}
          <div class="total">
            <dt>{words.total}</dt>
            <dd>{money(view.amountCents)}</dd>
          </div>
          {view.exchangeRate && (
            <div>
              <dt>{words.rate}</dt>
              <dd>{rateText(view.exchangeRate, view.currency, tag)}</dd>
            </div>
          )}
        </dl>
      </details>
    </header>
  );
}

interface CardProps {
  view: CheckoutView;
  locale: Locale;
  isEmbedded: boolean;
}

function Card(props: CardProps) {
  const { view, locale } = props;
  const { words } = locale;
  switch (view.state) {
    case 'pending':
      return <Pending {...props} />;
    case 'held':
      return <Result {...props} mark="clock" tone="waiting" text={words.heldText} />;
    case 'paid':
      return <Result {...props} mark="tick" tone="ok" text={say(words.paidText, view.merchant.name)} />;
    case 'paid_late':
      return (
        <Result
          {...props}
          mark="tick"
          tone="warn"
          text={say(words.paidLateText, view.merchant.name, view.orderNumber ?? '')}
        />
      );
    case 'expired':
      return <Result {...props} mark="clock" tone="warn" text={words.expiredText} />;
    case 'cancelled':
      return <Result {...props} mark="warn" tone="warn" text={words.nothingCharged} />;
    case 'unpayable':
      return <Result {...props} mark="warn" tone="bad" text={view.unpayableReason ?? words.nothingCharged} />;
  }
}

function Pending({ view, locale, isEmbedded }: CardProps) {
  const { words, tag } = locale;
  const bolt11 = view.bolt11!;
  const address = `LIGHTNING:${bolt11.toUpperCase()}`;
  return (
    <>
      <div class="head">
        <div>
          <h1 id="title" tabindex={-1}>
            {words.scan}
          </h1>
          <p class="status">
            <span class="dot" /> {words.waiting}
          </p>
        </div>
        <p class="chip" id="chip" title={words.timeLeft}>
          <noscript>{say(words.payUntil, `${view.endsAt.toISOString().slice(11, 16)} UTC`)}</noscript>
          <span class="spoken">{words.timeLeft} </span>
          <span id="left" />
        </p>
      </div>
      {isEmbedded && (
        <p class="amount small">
          {moneyText(view.amountCents, view.currency, tag)} <span class="sats">{satsText(view.amountSats!, tag)}</span>
        </p>
      )}
      <a
        class="tile"
        href={address.toLowerCase()}
        aria-label={words.openWallet}
        dangerouslySetInnerHTML={{ __html: picture(address) }}
      />
      <p class="label" id="invoice-label">
        {words.invoice}
      </p>
      <div class="row">
        <input id="invoice" value={bolt11} readonly dir="ltr" aria-labelledby="invoice-label" spellcheck={false} />
        <button type="button" class="fill" id="copy">
          {words.copy}
        </button>
      </div>
      <a class="button" href={address.toLowerCase()}>
        {words.openWallet}
      </a>
      <button type="button" class="button" id="webln" hidden>
        {words.payBrowser}
      </button>
      {!view.livemode && (
        <form method="post" action={`/checkout/${view.token}/simulate_payment`}>
          <button type="submit" class="button">
            {words.simulate}
          </button>
        </form>
      )}
    </>
  );
}

type ResultProps = CardProps & {
  mark: 'tick' | 'clock' | 'warn';
  tone: 'ok' | 'warn' | 'bad' | 'waiting';
  text: string;
};

function Result({ view, locale, isEmbedded, mark, tone, text }: ResultProps) {
  const { words } = locale;
  const isPaid = view.state === 'paid' || view.state === 'paid_late';
  const target = isEmbedded ? { target: '_top' } : {};
  return (
    <div class="result">
      <span class={`mark ${tone}`}>
        <Icon name={mark} size={36} />
      </span>
      <h1 id="title" tabindex={-1}>
        {titleOf(view, locale)}
      </h1>
      <p>{text}</p>
      {isPaid && view.orderNumber && <p class="note">{say(words.order, view.orderNumber)}</p>}
      {isPaid && view.redirectUrl && (
        <a class="button fill" href={view.redirectUrl} rel="noreferrer" {...target}>
          {say(words.goOn, view.merchant.name)}
        </a>
      )}
      {isPaid && view.receiptUrl && (
        <a class="button" href={view.receiptUrl} {...(isEmbedded ? { target: '_blank', rel: 'noopener' } : {})}>
          {words.receipt}
        </a>
      )}
      {view.state === 'paid' && view.redirectUrl && !isEmbedded && <p class="note scripted">{words.leaving}</p>}
      {view.state === 'expired' && view.paymentLinkSlug && (
        <form method="post" action={`/pay/${view.paymentLinkSlug}`}>
          <button type="submit" class="button fill">
            {words.again}
          </button>
        </form>
      )}
      {view.state === 'unpayable' && (
        <a class="button" href="">
          {words.retry}
        </a>
      )}
      {!isPaid && view.cancelUrl && (
        <a class="button" href={view.cancelUrl} rel="noreferrer" {...target}>
          {say(words.back, view.merchant.name)}
        </a>
      )}
    </div>
  );
}

function picture(address: string): string {
  let svg = pictures.get(address);
  if (svg === undefined) {
    svg = qrSvg(address);
    if (pictures.size >= mostPictures) pictures.delete(pictures.keys().next().value!);
    pictures.set(address, svg);
  }
  return svg;
}
