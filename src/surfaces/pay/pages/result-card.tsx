import type { ComponentChildren, JSX } from 'preact';
import type { CheckoutView } from '../../../model/checkout-view.ts';
import { figuresOf } from '../../pages/figures.ts';
import { dictionaryOf, type Language } from '../../pages/language.ts';
import { LinkButton, Ltr, ResultMark, SubmitButton } from '../../pages/parts.tsx';

interface ResultProps {
  view: CheckoutView;
  language: Language;
}

/** Every state of a checkout that has no invoice to pay. */
export function ResultCard({ view, language }: ResultProps): JSX.Element {
  const words = dictionaryOf(language).checkout;
  const { name } = view.merchant;
  switch (view.state) {
    case 'paid':
      return (
        <Result tone="ok" title={words.paid} text={words.paidText(name)}>
          <PaymentFacts view={view} language={language} />
          <PaidWays view={view} language={language} />
        </Result>
      );
    case 'paid_late':
      return (
        <Result tone="warn" title={words.late} text={words.lateText(name)}>
          <PaymentFacts view={view} language={language} />
          <PaidWays view={view} language={language} />
        </Result>
      );
    case 'held':
      return <Result tone="busy" title={words.held} text={words.heldText} />;
    case 'expired':
      return (
        <Result tone="warn" title={words.expired} text={expiredText(view, language)}>
          <div class="stack">
            {view.paymentLinkSlug && (
              <form method="post" action={`/pay/${view.paymentLinkSlug}?locale=${language}`}>
                <SubmitButton accent>{words.renew}</SubmitButton>
              </form>
            )}
            <BackButton view={view} language={language} accent={!view.paymentLinkSlug} />
          </div>
        </Result>
      );
    case 'cancelled':
      return (
        <Result tone="warn" title={words.cancelled} text={words.cancelledText(name)}>
          <div class="stack">
            <BackButton view={view} language={language} />
          </div>
        </Result>
      );
    default:
      return (
        <Result tone="bad" title={words.unpayable} text={unpayableText(view, language)}>
          <div class="stack">
            {/* This very address, with the language and the page around the frame that it names. */}
            <LinkButton href="">{words.tryAgain}</LinkButton>
            <BackButton view={view} language={language} />
          </div>
        </Result>
      );
  }
}

interface OutcomeProps {
  tone: 'ok' | 'warn' | 'bad' | 'busy';
  title: string;
  text: string;
  children?: ComponentChildren;
}

function Result({ tone, title, text, children }: OutcomeProps): JSX.Element {
  return (
    <div class="result">
      <ResultMark tone={tone} />
      <h1 id="title" tabIndex={-1}>
        {title}
      </h1>
      <p>{text}</p>
      {children}
    </div>
  );
}

function PaymentFacts({ view, language }: ResultProps): JSX.Element {
  const words = dictionaryOf(language);
  return (
    <dl class="lines">
      {view.orderNumber && (
        <div>
          <dt>{words.order}</dt>
          <dd>
            <Ltr>{view.orderNumber}</Ltr>
          </dd>
        </div>
      )}
      {view.paidAt && (
        <div>
          <dt>{words.paidAt}</dt>
          <dd>
            <time datetime={view.paidAt.toISOString()}>
              {figuresOf(language).time(view.paidAt, view.merchant.timeZone, true)}
            </time>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Where to after paying. A frame never takes its parent along by itself: its links do, when they are pressed. */
function PaidWays({ view, language }: ResultProps): JSX.Element {
  const words = dictionaryOf(language).checkout;
  const isFrame = view.mode === 'iframe';
  return (
    <div class="stack">
      {view.redirectUrl && (
        <LinkButton accent href={view.redirectUrl} target={isFrame ? '_top' : undefined} id="continue">
          {words.continueTo(view.merchant.name)}
        </LinkButton>
      )}
      {view.receiptUrl && (
        <LinkButton
          href={`${view.receiptUrl}?locale=${language}`}
          {...(isFrame ? { target: '_blank', rel: 'noopener' } : {})}
        >
          {words.receipt}
        </LinkButton>
      )}
      {view.redirectUrl && view.state === 'paid' && !isFrame && (
        <p class="small" id="returning" hidden>
          {words.returning}
        </p>
      )}
    </div>
  );
}

// Without a payment nobody is led to the success address.
function BackButton({ view, language, accent = false }: ResultProps & { accent?: boolean }): JSX.Element | null {
  if (!view.cancelUrl) return null;
  return (
    <LinkButton href={view.cancelUrl} accent={accent} target={view.mode === 'iframe' ? '_top' : undefined}>
      {dictionaryOf(language).backTo(view.merchant.name)}
    </LinkButton>
  );
}

function expiredText(view: CheckoutView, language: Language): string {
  const words = dictionaryOf(language).checkout;
  const next = view.paymentLinkSlug ? words.expiredRenew : words.expiredReturn(view.merchant.name);
  return `${words.expiredText} ${next}`;
}

// The reason is an English sentence; other languages say what holds for every reason.
function unpayableText(view: CheckoutView, language: Language): string {
  const words = dictionaryOf(language).checkout;
  const general = view.waitSeconds === undefined ? words.unpayableText(view.merchant.name) : words.tooMany;
  return language === 'en' ? (view.unpayableReason ?? general) : general;
}
