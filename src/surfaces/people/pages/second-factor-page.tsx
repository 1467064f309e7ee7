import type { ComponentChildren, JSX } from 'preact';
import type { SetUp } from '../../../flows/second-factor.ts';
import { qrShape } from '../../../kernel/qr.ts';
import type { SecondFactorStatus } from '../../../model/second-factor.ts';
import { raw } from '../../pages/document.tsx';
import { inLanguage, type Language } from '../../pages/language.ts';
import { Field, LinkButton, Ltr, Notice, SubmitButton } from '../../pages/parts.tsx';
import { wordsOf } from '../words.ts';
import { renderPeoplePage, type Setting } from './people-page.tsx';
import type { Failure } from './refusal-page.tsx';

interface SecondFactorPage extends Setting, Failure {
  status: SecondFactorStatus;
  /** An app that waits for its first code. */
  setUp: SetUp | undefined;
  /** Of the name and the password fields: password managers fill in both. */
  email: string;
}

/** Where one sets up an app, and where one gets rid of it again. */
export function renderSecondFactorPage(page: SecondFactorPage): string {
  const { status, setUp, language, locale, nonce, fault, notice } = page;
  const words = wordsOf(language);
  return renderPeoplePage({
    title: [fault ?? notice, words.secondFactor].filter(Boolean).join(' – '),
    language,
    nonce,
    kept: {},
    children: (
      <>
        <section class="card stack">
          <h1>{words.secondFactor}</h1>
          {notice && <Notice tone="bad">{notice}</Notice>}
          {status.isOn ? <Change {...page} /> : setUp ? <ScanCode {...page} setUp={setUp} /> : <Begin {...page} />}
        </section>
        <p class="foot">
          <a href={inLanguage('/account', locale)}>{words.account}</a>
        </p>
      </>
    ),
  });
}

function Begin({ language, locale, email, fault }: SecondFactorPage): JSX.Element {
  const words = wordsOf(language);
  return (
    <Deed action={inLanguage('/account/second-factor', locale)} email={email}>
      <p class="muted">{words.setUpText}</p>
      <Password language={language} fault={fault} />
      <SubmitButton accent>{words.goOn}</SubmitButton>
    </Deed>
  );
}

function ScanCode({ language, locale, setUp, fault }: SecondFactorPage & { setUp: SetUp }): JSX.Element {
  const words = wordsOf(language);
  const { sizeModules, path } = qrShape(setUp.address);
  const ground = `M0 0h${sizeModules}v${sizeModules}H0z`;
  return (
    <form method="post" action={inLanguage('/account/second-factor/confirm', locale)} class="stack">
      <p class="muted">{words.scanText}</p>
      {/* Drawn anew each time: what is kept in memory for other codes would be a secret here. */}
      <svg
        class="qr"
        role="img"
        aria-label={words.qr}
        viewBox={`0 0 ${sizeModules} ${sizeModules}`}
        shape-rendering="crispEdges"
        {...raw(`<path fill="#fff" d="${ground}"/><path stroke="#000" d="${path}"/>`)}
      />
      <p class="small">{words.secretText}</p>
      <p class="code secret">
        <Ltr>{setUp.secret.match(/.{1,4}/g)?.join(' ')}</Ltr>
      </p>
      <Field label={words.code} name="code" autocomplete="one-time-code" inputmode="numeric" required fault={fault} />
      <SubmitButton accent>{words.turnOn}</SubmitButton>
    </form>
  );
}

function Change({ language, locale, email, status, fault }: SecondFactorPage): JSX.Element {
  const words = wordsOf(language);
  return (
    <>
      <p class="muted">{words.factorOn}</p>
      <p class="small">
        {words.codesLeft}: <Ltr>{status.recoveryCodesLeft}</Ltr>
      </p>
      {/* One form with two ends, so that nobody types the same twice. */}
      <Deed action={inLanguage('/account/second-factor/recovery-codes', locale)} email={email}>
        <Password language={language} fault={fault} />
        <Field label={words.eitherCode} name="code" autocomplete="off" required />
        <div class="labelled">
          <SubmitButton>{words.newCodes}</SubmitButton>
          <p class="small">{words.newCodesText}</p>
        </div>
        <button type="submit" class="button" formaction={inLanguage('/account/second-factor/off', locale)}>
          <span>{words.turnOff}</span>
        </button>
      </Deed>
    </>
  );
}

function Deed({
  action,
  email,
  children,
}: {
  action: string;
  email: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <form method="post" action={action} class="stack">
      <input type="email" name="email" value={email} autocomplete="username" hidden readonly />
      {children}
    </form>
  );
}

function Password({ language, fault }: { language: Language; fault: string | undefined }): JSX.Element {
  const label = wordsOf(language).yourPassword;
  return <Field label={label} name="password" type="password" autocomplete="current-password" required fault={fault} />;
}

/** The only time that recovery codes are shown. */
export function renderRecoveryCodesPage(codes: readonly string[], { language, locale, nonce }: Setting): string {
  const words = wordsOf(language);
  return renderPeoplePage({
    title: words.codesTitle,
    language,
    nonce,
    children: (
      <section class="card stack">
        <h1>{words.codesTitle}</h1>
        <p class="muted">{words.codesText}</p>
        <ul class="codes code">
          {codes.map((code) => (
            <li key={code}>
              <Ltr>{code}</Ltr>
            </li>
          ))}
        </ul>
        <LinkButton href={inLanguage('/account', locale)} accent>
          {words.codesKept}
        </LinkButton>
      </section>
    ),
  });
}
