import { Field, Notice, SubmitButton } from '../../pages/parts.tsx';
import { wordsOf as linkWordsOf } from '../../user-links/words.ts';
import { pageAddress } from '../return-to.ts';
import { wordsOf } from '../words.ts';
import { renderPeoplePage, type Setting } from './people-page.tsx';
import type { Failure } from './refusal-page.tsx';

interface SignInPage extends Setting, Failure {
  returnTo: string | undefined;
  /** As it was typed. */
  email?: string | undefined;
}

export function renderSignInPage(page: SignInPage): string {
  const { language, nonce, returnTo, locale, email, fault, notice } = page;
  const words = wordsOf(language);
  return renderPeoplePage({
    // Read aloud first, where a page is read aloud.
    title: [fault ?? notice, words.signIn].filter(Boolean).join(' – '),
    language,
    nonce,
    kept: returnTo === undefined ? {} : { return_to: returnTo },
    children: (
      <form method="post" action={pageAddress('/sign-in', { return_to: returnTo, locale })} class="card stack">
        <h1>{words.signIn}</h1>
        {notice && <Notice tone="bad">{notice}</Notice>}
        <Field label={words.email} name="email" type="email" value={email ?? ''} autocomplete="username" required />
        <Field
          label={words.password}
          name="password"
          type="password"
          autocomplete="current-password"
          required
          fault={fault}
        />
        <SubmitButton accent>{words.signIn}</SubmitButton>
        <p class="small">
          <a href={pageAddress('/forgotten-password', { locale })}>{linkWordsOf(language).forgotten}</a>
        </p>
      </form>
    ),
  });
}
