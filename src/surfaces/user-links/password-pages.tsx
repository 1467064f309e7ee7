import type { JSX } from 'preact';
import { Field, Notice, SubmitButton } from '../pages/parts.tsx';
import type { Setting } from '../people/pages/people-page.tsx';
import { type ChoiceFault, ChoosePassword, faultText, renderLinkPage, renderOutcomePage, signInLink } from './page.tsx';
import { wordsOf } from './words.ts';

interface Asked {
  /** As it was typed. */
  email?: string;
  fault?: 'email' | 'tooMany';
}

/** Where one asks for a link. @param sendsMails without a mail server only the operator can help */
export function renderForgottenPage(setting: Setting, sendsMails: boolean, { email, fault }: Asked = {}): string {
  const words = wordsOf(setting.language);
  const addressFault = fault === 'email' ? words.faults.email : undefined;
  if (!sendsMails) {
    return renderLinkPage(
      setting,
      words.forgotten,
      <div class="card stack">
        <h1>{words.forgotten}</h1>
        <p>{words.noMails}</p>
        <WayBack {...setting} />
      </div>,
    );
  }
  return renderLinkPage(
    setting,
    words.forgotten,
    <form method="post" class="card stack">
      <h1>{words.forgotten}</h1>
      <p class="muted">{words.forgottenText}</p>
      {fault === 'tooMany' && <Notice tone="bad">{words.tooMany}</Notice>}
      <Field
        label={words.email}
        name="email"
        type="email"
        autocomplete="username"
        required
        {...(email === undefined ? {} : { value: email })}
        fault={addressFault}
      />
      <SubmitButton accent>{words.send}</SubmitButton>
      <WayBack {...setting} />
    </form>,
    fault === 'tooMany' ? words.tooMany : addressFault,
  );
}

function WayBack(setting: Setting): JSX.Element {
  const { href, text } = signInLink(setting);
  return (
    <p class="small">
      <a href={href}>{text}</a>
    </p>
  );
}

/** The same for an address that somebody has and for one that nobody has. */
export function renderSentPage(setting: Setting, email: string): string {
  const words = wordsOf(setting.language);
  return renderOutcomePage(setting, { tone: 'ok', title: words.sent, text: words.sentText(email) });
}

export function renderNewPasswordPage(setting: Setting, email: string, fault?: ChoiceFault): string {
  const words = wordsOf(setting.language);
  return renderLinkPage(
    setting,
    words.newPassword,
    <form method="post" class="card stack">
      <h1>{words.newPassword}</h1>
      <p class="muted">{words.newPasswordText}</p>
      <ChoosePassword email={email} fault={fault} words={words} />
      <SubmitButton accent>{words.save}</SubmitButton>
    </form>,
    fault && faultText(fault, words),
  );
}

export function renderSavedPage(setting: Setting): string {
  const words = wordsOf(setting.language);
  const next = signInLink(setting);
  return renderOutcomePage(setting, { tone: 'ok', title: words.saved, text: words.savedText, next });
}
