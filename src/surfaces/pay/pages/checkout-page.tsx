import type { JSX } from 'preact';
import { checkoutLifeSeconds } from '../../../model/checkout-session.ts';
import type { CheckoutView } from '../../../model/checkout-view.ts';
import { copyScript, readAsset, readStyle } from '../../pages/assets.ts';
import { LanguageMenu, raw, renderPage } from '../../pages/document.tsx';
import { figuresOf } from '../../pages/figures.ts';
import { Icon } from '../../pages/icons.tsx';
import { inlineJson } from '../../pages/inline-json.ts';
import { dictionaryOf, type Language } from '../../pages/language.ts';
import { Ltr, MerchantMark } from '../../pages/parts.tsx';
import { OrderLines } from './order-lines.tsx';
import { PendingCard } from './pending-card.tsx';
import { type PreimageFault, ProofForm } from './proof-form.tsx';
import { ResultCard } from './result-card.tsx';

const style = readStyle('./checkout.css', import.meta.url);
const script = `${copyScript}\n${readAsset('./checkout-script.js', import.meta.url)}`;

/** Without a script the page looks again by itself. */
const refreshSeconds = 10;

interface CheckoutPageOptions {
  nonce: string;
  language: Language;
  /** Origin of the page around the frame, one of the merchant's own list: messages go there and nowhere else. */
  parentOrigin?: string | undefined;
  /** What was wrong with the proof of payment that was sent. */
  preimageFault?: PreimageFault | undefined;
}

/** The hosted checkout in the state that `view` is in. The script fetches this same page when the state changes. */
export function renderCheckoutPage(view: CheckoutView, options: CheckoutPageOptions): string {
  const { nonce, language } = options;
  const isFrame = view.mode === 'iframe';
  const elapsedSeconds = Math.max(0, checkoutLifeSeconds - view.secondsLeft);
  const isLive = view.state === 'pending' || view.state === 'held';
  return renderPage({
    title: titleOf(view, language),
    language,
    nonce,
    theme: view.theme,
    accent: view.accentColor,
    testMode: !view.livemode,
    kind: isFrame ? 'checkout frame' : 'checkout',
    // The ring turns without a script, too.
    styles: [
      style,
      `.ring circle+circle{animation-duration:${checkoutLifeSeconds}s;animation-delay:-${elapsedSeconds}s}`,
    ],
    script,
    // Where the wallet tells nothing there is nothing to look for, and a refresh would empty the form.
    head: isLive && !view.asksForPreimage && (
      <noscript>
        <meta http-equiv="refresh" content={`${refreshSeconds}`} />
      </noscript>
    ),
    children: (
      <>
        <Summary view={view} language={language} />
        <section class="card" aria-labelledby="title">
          <p class="notice warn" id="offline" hidden>
            {dictionaryOf(language).checkout.offline}
          </p>
          {isFrame && <Price view={view} language={language} />}
          {view.state === 'pending' ? (
            <PendingCard view={view} language={language} />
          ) : (
            <ResultCard view={view} language={language} />
          )}
          <ProofForm view={view} language={language} fault={options.preimageFault} />
        </section>
        <Foot view={view} options={options} />
        <script id="checkout-data" type="application/json" {...raw(inlineJson(scriptData(view, options)))} />
      </>
    ),
  });
}

function Summary({ view, language }: { view: CheckoutView; language: Language }): JSX.Element {
  return (
    <div class="summary">
      <MerchantMark name={view.merchant.name} logoUrl={view.merchant.logoUrl} />
      <Price view={view} language={language} />
      <OrderLines view={view} language={language} />
    </div>
  );
}

function Price({ view, language }: { view: CheckoutView; language: Language }): JSX.Element {
  const figures = figuresOf(language);
  // What the sats beside it are for.
  const amount = figures.money(view.amountCents - view.paidCents, view.currency);
  return (
    <div class={amount.length > 14 ? 'price long' : 'price'}>
      <p>
        <Ltr>{amount}</Ltr>
      </p>
      {view.amountSats !== undefined && (
        <p class="muted">
          <Ltr>{figures.sats(view.amountSats)}</Ltr>
        </p>
      )}
    </div>
  );
}

function Foot({ view, options }: { view: CheckoutView; options: CheckoutPageOptions }): JSX.Element {
  const { language, parentOrigin } = options;
  const words = dictionaryOf(language);
  // Result cards have the way back among their buttons.
  const showsBack = view.cancelUrl && (view.state === 'pending' || view.state === 'held');
  return (
    <div class="foot">
      <p>
        <Icon name="lock" />
        <span>{words.ownWallet(view.merchant.name)}</span>
      </p>
      <div class="choices">
        {showsBack && (
          <a href={view.cancelUrl} target={view.mode === 'iframe' ? '_top' : undefined}>
            {words.backTo(view.merchant.name)}
          </a>
        )}
        <LanguageMenu language={language} {...(parentOrigin ? { kept: { origin: parentOrigin } } : {})} />
      </div>
    </div>
  );
}

function titleOf(view: CheckoutView, language: Language): string {
  const words = dictionaryOf(language);
  const { name } = view.merchant;
  switch (view.state) {
    case 'pending':
      return `${words.pay(name)} · ${figuresOf(language).money(view.amountCents - view.paidCents, view.currency)}`;
    case 'held':
      return `${words.checkout.held} · ${name}`;
    case 'paid':
      return `${words.checkout.paid} · ${name}`;
    case 'paid_late':
      return `${words.checkout.late} · ${name}`;
    case 'expired':
      return `${words.checkout.expired} · ${name}`;
    case 'cancelled':
      return `${words.checkout.cancelled} · ${name}`;
    default:
      return `${words.checkout.unpayable} · ${name}`;
  }
}

/** What the script needs to know; all wording on the page itself comes from here. */
function scriptData(view: CheckoutView, { language, parentOrigin }: CheckoutPageOptions) {
  const words = dictionaryOf(language).checkout;
  const isPaid = view.state === 'paid' || view.state === 'paid_late';
  return {
    id: view.checkoutId,
    path: `/checkout/${view.token}`,
    state: isPaid ? 'completed' : view.state,
    secondsLeft: view.secondsLeft,
    lifeSeconds: checkoutLifeSeconds,
    parentOrigin: parentOrigin ?? null,
    words: {
      copied: words.copied,
      copyFailed: words.copyFailed,
      minutesLeft: { 5: words.minutesLeft(5), 1: words.minutesLeft(1) },
      ...(view.asksForPreimage && { wrong: words.proof.wrong, tooMany: words.proof.tooMany }),
    },
  };
}
