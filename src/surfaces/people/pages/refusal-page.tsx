import type { AppError } from '../../../kernel/errors.ts';
import { type Language, lengthText } from '../../pages/language.ts';
import { LinkButton, ResultMark } from '../../pages/parts.tsx';
import { ForeignForm } from '../../pages/same-origin.ts';
import { NeedsHttps } from '../session-cookie.ts';
import { wordsOf } from '../words.ts';
import { renderPeoplePage, type Setting } from './people-page.tsx';

/** Why a form is shown again, in the reader's language. */
export interface Failure {
  /** What is wrong with what was typed. */
  fault?: string | undefined;
  /** Why nothing can be done now, whatever is typed. */
  notice?: string | undefined;
}

/** When something could not be done: what, and the way back. */
export function renderRefusalPage(error: AppError, backTo: string, { language, nonce }: Setting): string {
  const words = wordsOf(language);
  const text = refusalText(error, language);
  return renderPeoplePage({
    title: words.failed,
    language,
    nonce,
    children: (
      <section class="card result">
        <ResultMark tone="bad" />
        <h1>{words.failed}</h1>
        {text ? (
          <p>{text}</p>
        ) : (
          <p lang="en" dir="ltr">
            {error.message}
          </p>
        )}
        <div class="stack">
          <LinkButton href={backTo}>{words.again}</LinkButton>
        </div>
      </section>
    ),
  });
}

/** What a refusal means, in the reader's language; undefined for those that have only their own English sentence. */
export function refusalText(error: AppError, language: Language): string | undefined {
  const words = wordsOf(language);
  if (error instanceof ForeignForm) return words.foreign;
  if (error instanceof NeedsHttps) return words.unsafe;
  // What is left of a minute counts as one.
  const minutes = Math.max(1, Math.ceil((error.retryAfterSeconds ?? 0) / 60));
  const wait = lengthText(minutes, 'minute', language);
  if (error.code === 'locked') return words.locked(wait);
  if (error.code === 'rate_limited') return words.tooMany(wait);
  return undefined;
}
