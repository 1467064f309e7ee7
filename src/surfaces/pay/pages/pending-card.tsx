import type { JSX } from 'preact';
import type { CheckoutView } from '../../../model/checkout-view.ts';
import { Icon } from '../../pages/icons.tsx';
import { dictionaryOf, type Language } from '../../pages/language.ts';
import { LinkButton, SubmitButton } from '../../pages/parts.tsx';
import { OrderLines } from './order-lines.tsx';
import { QrCode } from './qr-code.tsx';

/** The invoice in all the ways a payer can take it up: scan, tap, copy, or a wallet in the browser. */
export function PendingCard({ view, language }: { view: CheckoutView; language: Language }): JSX.Element {
  const words = dictionaryOf(language).checkout;
  const bolt11 = view.bolt11!;
  // A link that a person presses, never an address that a script opens: phones refuse those.
  const walletLink = `lightning:${bolt11}`;
  // Out of a frame only the whole window reaches another app on iOS.
  const target = view.mode === 'iframe' ? '_top' : undefined;
  return (
    <>
      <div class="head">
        <div>
          <h1 id="title" tabIndex={-1}>
            {words.scan}
          </h1>
          <p class="waiting small">{words.waiting}</p>
        </div>
        <Countdown view={view} label={words.timeLeft} />
      </div>
      <a class="qr" href={walletLink} target={target} aria-label={words.qr}>
        <QrCode text={`LIGHTNING:${bolt11.toUpperCase()}`} />
      </a>
      <div class="ways">
        <div class="open-way stack">
          <LinkButton icon="open" class="open" href={walletLink} target={target}>
            {words.openWallet}
          </LinkButton>
          <button type="button" class="button" id="browser-wallet" hidden>
            <Icon name="bolt" />
            <span>{words.browserWallet}</span>
          </button>
          {!view.livemode && (
            <form method="post" action={`/checkout/${view.token}/simulate_payment?locale=${language}`} id="simulate">
              <SubmitButton>{words.simulate}</SubmitButton>
            </form>
          )}
        </div>
        <div class="copy-way labelled">
          <label for="invoice">{words.invoice}</label>
          <div class="row">
            <input class="field code" id="invoice" dir="ltr" readOnly value={bolt11} />
            <button type="button" class="button copy" id="copy" hidden>
              <Icon name="copy" />
              <Icon name="check" />
              <span>{words.copy}</span>
            </button>
          </div>
        </div>
      </div>
      <details class="details">
        <summary>
          {words.details}
          <Icon name="down" />
        </summary>
        <OrderLines view={view} language={language} />
      </details>
    </>
  );
}

/** Without a script it says when time is up; the script counts. */
function Countdown({ view, label }: { view: CheckoutView; label: string }): JSX.Element {
  const end = view.endsAt.toISOString();
  return (
    <p class="chip" id="chip">
      <svg class="ring" viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="8" />
        <circle cx="10" cy="10" r="8" pathLength="100" />
      </svg>
      <span class="unseen">{label}: </span>
      <time id="countdown" dir="ltr" datetime={end}>
        {end.slice(11, 16)} UTC
      </time>
    </p>
  );
}
