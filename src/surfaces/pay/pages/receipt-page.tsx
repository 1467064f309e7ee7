import type { ComponentChildren, JSX } from 'preact';
import type { ReceiptView } from '../../../model/receipt-view.ts';
import { readStyle } from '../../pages/assets.ts';
import { LanguageMenu, renderPage } from '../../pages/document.tsx';
import { figuresOf } from '../../pages/figures.ts';
import { dictionaryOf, type Language } from '../../pages/language.ts';
import { Ltr, MerchantMark } from '../../pages/parts.tsx';

const style = readStyle('./receipt.css', import.meta.url);
const script = "const print_=document.getElementById('print-receipt');print_.hidden=false;print_.onclick=()=>print()";

interface ReceiptProps {
  view: ReceiptView;
  language: Language;
}

/** A receipt for the screen and for paper, A4 and rolls of 80 mm. */
export function renderReceiptPage(view: ReceiptView, options: { nonce: string; language: Language }): string {
  const { nonce, language } = options;
  const words = dictionaryOf(language).receipt;
  return renderPage({
    title: `${words.title} ${view.orderNumber} · ${view.merchant.name}`,
    language,
    nonce,
    theme: view.theme,
    accent: view.accentColor,
    testMode: !view.livemode,
    kind: 'receipt',
    styles: [style],
    script,
    children: (
      <>
        <article class="card" aria-labelledby="title">
          {/* Drawn, since it is no text to be read: the strip on top says it. */}
          {!view.livemode && <p class="watermark" aria-hidden="true" data-text={words.watermark} />}
          <header>
            <MerchantMark name={view.merchant.name} logoUrl={view.merchant.logoUrl} />
            <State view={view} language={language} />
          </header>
          <h1 id="title">
            {words.title} <Ltr>{view.orderNumber}</Ltr>
          </h1>
          <p class="muted">
            <time datetime={view.paidAt.toISOString()}>
              {figuresOf(language).time(view.paidAt, view.merchant.timeZone, true)}
            </time>
            {view.merchant.timeZone !== 'UTC' && (
              <>
                <br />
                {figuresOf(language).time(view.paidAt, 'UTC', true)}
              </>
            )}
          </p>
          <Items view={view} language={language} />
          <Sums view={view} language={language} />
          <PaymentFacts view={view} language={language} />
        </article>
        <div class="foot">
          <button type="button" class="button" id="print-receipt" hidden>
            {words.print}
          </button>
          <LanguageMenu language={language} />
        </div>
      </>
    ),
  });
}

function State({ view, language }: ReceiptProps): JSX.Element {
  const words = dictionaryOf(language).receipt;
  switch (view.status) {
    case 'refunded':
      return <p class="state warn">{words.refunded}</p>;
    case 'partially_refunded':
      return <p class="state warn">{words.partlyRefunded}</p>;
    default:
      return <p class="state ok">{words.paid}</p>;
  }
}

function Items({ view, language }: ReceiptProps): JSX.Element {
  const words = dictionaryOf(language);
  const figures = figuresOf(language);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{words.receipt.item}</th>
          <th scope="col">{words.receipt.quantity}</th>
          <th scope="col">{words.receipt.price}</th>
        </tr>
      </thead>
      <tbody>
        {view.lines.map((line, index) => (
          <tr key={index}>
            <td>
              <bdi>{line.name}</bdi>
              {line.tax_rate && <small>{words.taxAt(words.tax, figures.percent(line.tax_rate))}</small>}
            </td>
            <td>
              <Ltr>{figures.count(line.qty)}</Ltr>
            </td>
            <td>
              <Ltr>{figures.money(line.line_total_cents, view.currency)}</Ltr>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Sums({ view, language }: ReceiptProps): JSX.Element {
  const words = dictionaryOf(language);
  const figures = figuresOf(language);
  const money = (cents: number) => figures.money(cents, view.currency);
  return (
    <dl class="lines">
      {view.subtotalCents !== view.totalCents && <Line name={words.receipt.subtotal}>{money(view.subtotalCents)}</Line>}
      {view.discountCents > 0 && <Line name={view.discountName ?? words.discount}>−{money(view.discountCents)}</Line>}
      {view.taxDetails.length === 0 && view.taxCents > 0 && <Line name={words.tax}>{money(view.taxCents)}</Line>}
      {view.taxDetails.map((tax, index) => (
        <Line key={index} name={(tax.inclusive ? words.taxIncluded : words.taxAt)(tax.name, figures.percent(tax.rate))}>
          {money(tax.amount_cents)}
        </Line>
      ))}
      <Line name={words.total} sum>
        {money(view.totalCents)}
      </Line>
      {view.refundedCents > 0 && <Line name={words.receipt.refund}>−{money(view.refundedCents)}</Line>}
    </dl>
  );
}

function PaymentFacts({ view, language }: ReceiptProps): JSX.Element {
  const words = dictionaryOf(language);
  const figures = figuresOf(language);
  return (
    <>
      <dl class="lines facts">
        <div>
          <dt>{words.receipt.method}</dt>
          <dd>{view.paymentMethod === 'cash' ? words.receipt.cash : words.receipt.lightning}</dd>
        </div>
        {view.amountSats !== null && <Line name={words.receipt.amount}>{figures.sats(view.amountSats)}</Line>}
        {view.exchangeRate && (
          <Line name={words.exchangeRate}>1 BTC = {figures.decimalMoney(view.exchangeRate, view.currency)}</Line>
        )}
      </dl>
      {view.paymentHash && (
        <dl class="proof">
          <dt>{words.receipt.hash}</dt>
          <dd class="code">
            <Ltr>{view.paymentHash}</Ltr>
          </dd>
        </dl>
      )}
      {view.preimage && (
        <details class="proof">
          <summary>{words.receipt.proof}</summary>
          <p>{words.receipt.proofText}</p>
          <p class="code">
            <Ltr>{view.preimage}</Ltr>
          </p>
        </details>
      )}
    </>
  );
}

function Line({ name, sum, children }: { name: string; sum?: boolean; children: ComponentChildren }): JSX.Element {
  return (
    <div class={sum ? 'sum' : undefined}>
      <dt>{name}</dt>
      <dd>
        <Ltr>{children}</Ltr>
      </dd>
    </div>
  );
}
