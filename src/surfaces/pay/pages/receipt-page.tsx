import type { ReceiptView } from '../../../model/receipt-view.ts';
import { say } from './languages.ts';
import { moneyText, rateText, satsText } from './money-text.ts';
import { Brand, type PageOptions, renderDocument } from './page.tsx';

/** A receipt, on the screen and on paper (A4 and rolls of 80 mm). */
export function renderReceiptPage(view: ReceiptView, { nonce, locale }: PageOptions): string {
  const { words, tag } = locale;
  const money = (amount: number) => moneyText(amount, view.currency, tag);
  const day = (timeZone: string) =>
    new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(view.paidAt);
  return renderDocument(
    {
      nonce,
      locale,
      title: `${words.receiptTitle} ${view.orderNumber} – ${view.merchant.name}`,
      theme: view.theme,
      accent: view.accentColor,
      livemode: view.livemode,
      script: `document.getElementById('print').onclick=()=>print()`,
    },
    <main class="single receipt">
      {!view.livemode && (
        <p class="watermark" aria-hidden="true">
          {words.watermark}
        </p>
      )}
      <section class="card">
        <Brand name={view.merchant.name} logoUrl={view.merchant.logoUrl} />
        <h1 id="title">
          {words.receiptTitle} {view.orderNumber}
        </h1>
        <p class="note">
          {say(words.paidOn, `${day(view.merchant.timeZone)} (${view.merchant.timeZone})`)}
          <br />
          {day('UTC')} UTC
        </p>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.item}</th>
              <th scope="col" class="figure">
                {words.quantity}
              </th>
              <th scope="col" class="figure">
                {words.amount}
              </th>
            </tr>
          </thead>
          <tbody>
            {view.lines.map((line) => (
              <tr>
                <td>
                  {line.name}
                  {line.tax_rate && <small> ({line.tax_rate} %)</small>}
                </td>
                <td class="figure">{line.qty}</td>
                <td class="figure">{money(line.line_total_cents)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <dl>
          <Line name={words.subtotal} value={money(view.subtotalCents)} />
          {view.discountCents > 0 && (
            <Line name={view.discountName ?? words.discount} value={`−${money(view.discountCents)}`} />
          )}
          {view.taxDetails.length > 0
            ? view.taxDetails.map((tax) => <Line name={`${tax.name} ${tax.rate} %`} value={money(tax.amount_cents)} />)
            : view.taxCents > 0 && <Line name={words.tax} value={money(view.taxCents)} />}
          <div class="total">
            <dt>{words.total}</dt>
            <dd>{money(view.totalCents)}</dd>
          </div>
          {view.refundedCents > 0 && <Line name={words.refunded} value={money(view.refundedCents)} />}
          <Line name={words.method} value={view.paymentMethod === 'cash' ? words.cash : words.lightning} />
          {view.amountSats !== null && <Line name="Bitcoin" value={satsText(view.amountSats, tag)} />}
          {view.exchangeRate && <Line name={words.rate} value={rateText(view.exchangeRate, view.currency, tag)} />}
        </dl>
        {view.paymentHash && (
          <details>
            <summary>{words.proof}</summary>
            <p class="label">{words.hash}</p>
            <code dir="ltr">{view.paymentHash}</code>
            {view.preimage && (
              <>
                <p class="label">Preimage</p>
                <code dir="ltr">{view.preimage}</code>
              </>
            )}
          </details>
        )}
        <button type="button" class="button scripted" id="print">
          {words.print}
        </button>
      </section>
    </main>,
  );
}

function Line({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
