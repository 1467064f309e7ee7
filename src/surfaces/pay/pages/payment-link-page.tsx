import { randomBytes } from 'node:crypto';
import type { JSX } from 'preact';
import { formatAmount } from '../../../kernel/money.ts';
import type { PaymentLinkView } from '../../../model/payment-link-view.ts';
import { readStyle } from '../../pages/assets.ts';
import { LanguageMenu, renderPage } from '../../pages/document.tsx';
import { figuresOf } from '../../pages/figures.ts';
import { Icon } from '../../pages/icons.tsx';
import { dictionaryOf, type Language } from '../../pages/language.ts';
import { Ltr, MerchantMark, SubmitButton } from '../../pages/parts.tsx';
import { QrCode } from './qr-code.tsx';

const style = readStyle('./payment-link.css', import.meta.url);
// A slow answer must not be asked for twice; out of history the button works again.
const script =
  "addEventListener('submit',e=>e.target.method==='post'&&e.target.querySelector('button').classList.add('busy'));" +
  "addEventListener('pageshow',()=>document.querySelector('.busy')?.classList.remove('busy'));" +
  "const poster=document.getElementById('poster');if(poster){poster.hidden=false;poster.onclick=()=>print()}";
const descriptionChars = 300;

/** What a payment link sells, and the button that opens a checkout. Looking at it opens none. Printed, it is a poster. */
export function renderPaymentLinkPage(view: PaymentLinkView, options: { nonce: string; language: Language }): string {
  const { nonce, language } = options;
  const words = dictionaryOf(language);
  const price = figuresOf(language).money(view.amountCents, view.currency);
  return renderPage({
    title: `${view.name} · ${price} · ${view.merchant.name}`,
    language,
    nonce,
    theme: view.theme,
    accent: view.accentColor,
    testMode: !view.livemode,
    kind: 'link',
    styles: [style],
    script,
    head: <Preview view={view} price={price} />,
    children: (
      <>
        <MerchantMark name={view.merchant.name} logoUrl={view.merchant.logoUrl} />
        <section class="card product" aria-labelledby="title">
          {view.imageUrl?.startsWith('https:') && (
            <img class="picture" src={view.imageUrl} alt="" referrerpolicy="no-referrer" />
          )}
          <div>
            <h1 id="title">
              <bdi>{view.name}</bdi>
            </h1>
            {view.description && (
              <p class="description muted">
                <bdi>{view.description}</bdi>
              </p>
            )}
          </div>
          <p class={price.length > 14 ? 'amount long' : 'amount'}>
            <Ltr>{price}</Ltr>
          </p>
          <form method="post" action={`/pay/${view.slug}?locale=${language}`} class="stack">
            {/* The form sent twice is one purchase. */}
            <input type="hidden" name="form_token" value={randomBytes(16).toString('hex')} />
            <SubmitButton accent disabled={!view.payable}>
              {words.link.payNow(price)}
            </SubmitButton>
            <p class={view.payable ? 'small' : 'notice warn'}>
              {view.payable ? words.link.how : words.link.notPayable(view.merchant.name)}
            </p>
          </form>
          <div class="poster">
            <div class="qr">
              <QrCode text={view.url} />
            </div>
            <p>
              <strong>{words.link.scanToPay}</strong>
              <br />
              <Ltr>{view.url.replace(/^https?:\/\//, '')}</Ltr>
            </p>
          </div>
        </section>
        <div class="foot">
          <p>
            <Icon name="lock" />
            <span>{words.ownWallet(view.merchant.name)}</span>
          </p>
          <div class="choices">
            <button type="button" id="poster" class="plain" hidden>
              {words.link.poster}
            </button>
            <LanguageMenu language={language} />
          </div>
        </div>
      </>
    ),
  });
}

/** What other sites show when somebody shares the link (the Open Graph protocol). */
function Preview({ view, price }: { view: PaymentLinkView; price: string }): JSX.Element {
  return (
    <>
      <link rel="canonical" href={view.url} />
      <meta property="og:type" content="product" />
      <meta property="og:title" content={`${view.name} · ${price}`} />
      <meta property="og:site_name" content={view.merchant.name} />
      <meta property="og:url" content={view.url} />
      {view.description && <meta property="og:description" content={view.description.slice(0, descriptionChars)} />}
      {view.imageUrl?.startsWith('https:') && <meta property="og:image" content={view.imageUrl} />}
      <meta property="product:price:amount" content={formatAmount(view.amountCents, view.currency)} />
      <meta property="product:price:currency" content={view.currency.toUpperCase()} />
    </>
  );
}
