import { randomBytes } from 'node:crypto';
import type { PaymentLinkView } from '../../../model/payment-link-view.ts';
import { say } from './languages.ts';
import { moneyText } from './money-text.ts';
import { Brand, Icon, LanguageChoice, type PageOptions, renderDocument } from './page.tsx';

/** What a payment link sells, and the button that opens a checkout. Looking at it opens none. */
export function renderPaymentLinkPage(view: PaymentLinkView, { nonce, locale }: PageOptions): string {
  const { words, tag } = locale;
  const price = moneyText(view.amountCents, view.currency, tag);
  return renderDocument(
    {
      nonce,
      locale,
      title: `${view.name} – ${view.merchant.name}`,
      theme: view.theme,
      accent: view.accentColor,
      livemode: view.livemode,
      head: <Preview view={view} price={price} />,
    },
    <main class="single">
      <Brand name={view.merchant.name} logoUrl={view.merchant.logoUrl} />
      <section class="card product">
        {view.imageUrl && <img class="picture" src={view.imageUrl} alt="" referrerpolicy="no-referrer" />}
        <h1 id="title">{view.name}</h1>
        {view.description && <p class="description">{view.description}</p>}
        <p class="amount">{price}</p>
        {view.payable ? (
          <form method="post" action={`/pay/${view.slug}`}>
            {/* A second press of the button is the same purchase. */}
            <input type="hidden" name="form_token" value={randomBytes(16).toString('hex')} />
            <button type="submit" class="button fill">
              {say(words.buy, price)}
            </button>
          </form>
        ) : (
          <>
            <button type="button" class="button" disabled>
              {say(words.buy, price)}
            </button>
            <p class="note">{words.notNow}</p>
          </>
        )}
      </section>
      <footer>
        <p>
          <Icon name="lock" /> {say(words.direct, view.merchant.name)}
        </p>
        <LanguageChoice locale={locale} />
      </footer>
    </main>,
  );
}

/** What other sites show of the link (The Open Graph protocol). */
function Preview({ view, price }: { view: PaymentLinkView; price: string }) {
  const entries: [string, string][] = [
    ['og:type', 'website'],
    ['og:title', `${view.name} – ${price}`],
    ['og:site_name', view.merchant.name],
    ['og:url', view.url],
    ...(view.description ? [['og:description', view.description.slice(0, 300)] as [string, string]] : []),
    ...(view.imageUrl ? [['og:image', view.imageUrl] as [string, string]] : []),
  ];
  return (
    <>
      {entries.map(([property, content]) => (
        <meta property={property} content={content} />
      ))}
      <link rel="canonical" href={view.url} />
    </>
  );
}
