import { Field, Notice, SubmitButton } from '../../pages/parts.tsx';
import { pageAddress } from '../return-to.ts';
import { wordsOf } from '../words.ts';
import { renderPeoplePage, type Setting } from './people-page.tsx';
import type { Failure } from './refusal-page.tsx';

interface CodePage extends Setting, Failure {
  returnTo: string | undefined;
  /** As it was typed, where it was one of these: the failure is about it. */
  recoveryCode?: string | undefined;
}

/** The second step of signing in: a code of the app, or one of those kept for the day it is lost. */
export function renderCodePage(page: CodePage): string {
  const { language, nonce, returnTo, locale, fault, notice, recoveryCode } = page;
  const isRecovery = recoveryCode !== undefined;
  const words = wordsOf(language);
  const action = pageAddress('/sign-in/code', { return_to: returnTo, locale });
  return renderPeoplePage({
    title: [fault ?? notice, words.codeTitle].filter(Boolean).join(' – '),
    language,
    nonce,
    kept: returnTo === undefined ? {} : { return_to: returnTo },
    children: (
      <>
        <div class="card stack">
          <form method="post" action={action} class="stack">
            <h1>{words.codeTitle}</h1>
            <p class="muted">{words.codeText}</p>
            {notice && <Notice tone="bad">{notice}</Notice>}
            <Field
              label={words.code}
              name="code"
              autocomplete="one-time-code"
              inputmode="numeric"
              required
              fault={isRecovery ? undefined : fault}
            />
            <SubmitButton accent>{words.goOn}</SubmitButton>
          </form>
          <details class="more" open={isRecovery}>
            <summary>{words.lostApp}</summary>
            <form method="post" action={action} class="stack">
              <p class="small">{words.recoveryText}</p>
              <Field
                label={words.recoveryCode}
                name="recovery_code"
                value={recoveryCode ?? ''}
                autocomplete="off"
                required
                fault={isRecovery ? fault : undefined}
              />
              <SubmitButton>{words.goOn}</SubmitButton>
            </form>
          </details>
        </div>
        <p class="foot">
          <a href={pageAddress('/sign-in', { return_to: returnTo, locale })}>{words.startAgain}</a>
        </p>
      </>
    ),
  });
}
