import type { ComponentChildren, JSX } from 'preact';
import { longestPassword, type PasswordFault, shortestPassword } from '../../model/password.ts';
import { LanguageMenu, renderPage } from '../pages/document.tsx';
import { inLanguage } from '../pages/language.ts';
import { Field, LinkButton, ResultMark } from '../pages/parts.tsx';
import type { Setting } from '../people/pages/people-page.tsx';
import type { Words } from './languages/en.ts';
import { wordsOf } from './words.ts';

/**
 * A card with a title, and the menu of languages under it.
 * @param fault why the form is shown again: read aloud first, where a page is read aloud
 */
export function renderLinkPage(setting: Setting, title: string, children: ComponentChildren, fault?: string): string {
  return renderPage({
    title: [fault, title].filter(Boolean).join(' – '),
    ...setting,
    kind: 'user-link',
    children: (
      <>
        {children}
        <footer class="foot">
          <LanguageMenu language={setting.language} />
        </footer>
      </>
    ),
  });
}

/** The way to the page that all of these come from, or lead to. */
export function signInLink({ language, locale }: Setting): { href: string; text: string } {
  return { href: inLanguage('/sign-in', locale), text: wordsOf(language).signIn };
}

export interface Outcome {
  tone: 'ok' | 'warn' | 'bad';
  title: string;
  text: string;
  /** Where to go from here. */
  next?: { href: string; text: string };
}

/** Says how something ended. */
export function renderOutcomePage(setting: Setting, { tone, title, text, next }: Outcome): string {
  return renderLinkPage(
    setting,
    title,
    <section class="card result">
      <ResultMark tone={tone} />
      <h1>{title}</h1>
      <p>{text}</p>
      {next && (
        <div class="stack">
          <LinkButton href={next.href} accent>
            {next.text}
          </LinkButton>
        </div>
      )}
    </section>,
  );
}

/** What is wrong with the two passwords that were typed. */
export type ChoiceFault = PasswordFault | 'differs';

/** An account's address and its new password, typed twice: without a script nobody can look at what was typed. */
export function ChoosePassword({ email, fault, words }: ChoosePasswordProps): JSX.Element {
  return (
    <>
      {/* So that a password manager files the password under the right name. */}
      <Field label={words.email} name="username" type="email" value={email} autocomplete="username" readonly />
      <Field
        label={words.password}
        name="password"
        type="password"
        autocomplete="new-password"
        required
        fault={fault && fault !== 'differs' ? faultText(fault, words) : undefined}
        hint={words.rule(shortestPassword)}
      />
      <Field
        label={words.repeat}
        name="repeat"
        type="password"
        autocomplete="new-password"
        required
        fault={fault === 'differs' ? faultText(fault, words) : undefined}
      />
    </>
  );
}

interface ChoosePasswordProps {
  email: string;
  fault: ChoiceFault | undefined;
  words: Words;
}

export function faultText(fault: ChoiceFault, { faults }: Words): string {
  if (fault === 'short') return faults.short(shortestPassword);
  return fault === 'long' ? faults.long(longestPassword) : faults[fault];
}

/** For an address that leads to nothing, for whatever reason. */
export function renderOverPage(setting: Setting): string {
  const words = wordsOf(setting.language);
  return renderOutcomePage(setting, {
    tone: 'warn',
    title: words.over,
    text: words.overText,
    next: { href: inLanguage('/forgotten-password', setting.locale), text: words.newPassword },
  });
}
