import type { ComponentChildren, JSX } from 'preact';
import { priceTimesQuantity } from '../../../kernel/money.ts';
import type { CheckoutView } from '../../../model/checkout-view.ts';
import { figuresOf } from '../../pages/figures.ts';
import { dictionaryOf, type Language } from '../../pages/language.ts';
import { Ltr } from '../../pages/parts.tsx';

/** What is bought and how the total comes about. */
export function OrderLines({ view, language }: { view: CheckoutView; language: Language }): JSX.Element {
  const words = dictionaryOf(language);
  const figures = figuresOf(language);
  const money = (cents: number) => <Ltr>{figures.money(cents, view.currency)}</Ltr>;
  const customer = [view.customer.name, view.customer.email].filter(Boolean).join(', ');
  return (
    <dl class="lines">
      {view.lines.map((line, index) => (
        <Line key={index} name={<bdi>{line.qty === 1 ? line.name : `${line.name} × ${figures.count(line.qty)}`}</bdi>}>
          {money(priceTimesQuantity(line.price_cents, line.qty))}
        </Line>
      ))}
      {view.discountCents > 0 && (
        <Line name={words.discount}>
          <Ltr>−{figures.money(view.discountCents, view.currency)}</Ltr>
        </Line>
      )}
      {view.taxDetails.length === 0 && view.taxCents > 0 && <Line name={words.tax}>{money(view.taxCents)}</Line>}
      {view.taxDetails.map((tax, index) => (
        <Line
          key={`tax ${index}`}
          name={(tax.inclusive ? words.taxIncluded : words.taxAt)(tax.name, figures.percent(tax.rate))}
        >
          {money(tax.amount_cents)}
        </Line>
      ))}
      <div class="sum">
        <dt>{words.total}</dt>
        <dd>{money(view.amountCents)}</dd>
      </div>
      {view.paidCents > 0 && (
        <>
          <Line name={words.alreadyPaid}>
            <Ltr>−{figures.money(view.paidCents, view.currency)}</Ltr>
          </Line>
          <div class="sum">
            <dt>{words.leftToPay}</dt>
            <dd>{money(view.amountCents - view.paidCents)}</dd>
          </div>
        </>
      )}
      {view.exchangeRate && (
        <Line name={words.exchangeRate}>
          <Ltr>1 BTC = {figures.decimalMoney(view.exchangeRate, view.currency)}</Ltr>
        </Line>
      )}
      {customer && (
        <Line name={words.customer}>
          <bdi>{customer}</bdi>
        </Line>
      )}
    </dl>
  );
}

function Line({ name, children }: { name: ComponentChildren; children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
