import type { JSX } from 'preact';
import type { OauthScope } from '../../kernel/context.ts';
import type { Membership } from '../../model/user.ts';
import { readStyle } from '../pages/assets.ts';
import { Ltr, Notice, ResultMark, SubmitButton } from '../pages/parts.tsx';
import { renderPeoplePage, type Setting } from '../people/pages/people-page.tsx';
import type { RedirectTarget } from './redirect-target.ts';
import { wordsOf } from './words.ts';

const style = readStyle('./consent.css', import.meta.url);

interface ConsentPage extends Setting {
  /** As the client calls itself. */
  clientName: string;
  target: RedirectTarget;
  scopes: readonly OauthScope[];
  email: string;
  /** Those that may be chosen. */
  merchants: readonly Membership[];
}

/** Asks a person whether an assistant may work for a merchant: who asks, where the answer goes, what it opens. */
export function renderConsentPage(page: ConsentPage): string {
  const { language, nonce, clientName, scopes, email, merchants } = page;
  const words = wordsOf(language);
  const title = words.title(clientName || words.unnamed);
  return renderPeoplePage({
    title,
    language,
    nonce,
    kept: {},
    styles: [style],
    children: (
      <form method="post" class="card consent">
        <div>
          <h1>{title}</h1>
          {clientName && <p class="muted">{words.nameUnchecked}</p>}
        </div>
        <Target {...page} />
        <section>
          <h2>{words.may}</h2>
          <ul>
            {scopes.map((scope) => (
              <li key={scope}>{words.scopes[scope]}</li>
            ))}
          </ul>
        </section>
        <p class="muted">{words.mayNot}</p>
        {merchants.length === 0 ? (
          <Notice tone="bad">{words.noMerchant}</Notice>
        ) : (
          <>
            <Choice
              name="merchant"
              legend={words.merchant}
              options={merchants.map(({ merchant_id: value, name: text }) => ({ value, text }))}
            />
            <Choice
              name="mode"
              legend={words.data}
              options={[
                { value: 'live', text: words.live },
                { value: 'test', text: words.test },
              ]}
            />
          </>
        )}
        <div class="stack">
          {merchants.length > 0 && (
            <SubmitButton accent name="answer" value="allow">
              {words.allow}
            </SubmitButton>
          )}
          <SubmitButton name="answer" value="deny">
            {words.deny}
          </SubmitButton>
        </div>
        <p class="small">{words.signedInAs(email)}</p>
      </form>
    ),
  });
}

function Target({ target: { kind, name }, language }: ConsentPage): JSX.Element {
  const words = wordsOf(language);
  return (
    <section>
      <h2>{words.answersGoTo}</h2>
      <p class="target">
        {kind === 'host' ? <Ltr>{name}</Ltr> : kind === 'local' ? words.local(name) : words.app(name)}
      </p>
    </section>
  );
}

interface ChoiceProps {
  name: string;
  legend: string;
  options: readonly { value: string; text: string }[];
}

/** The first is chosen; with one there is nothing to choose, but it is said all the same. */
function Choice({ name, legend, options }: ChoiceProps): JSX.Element {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.map(({ value, text }, index) => (
        <label class="choice" key={value}>
          <input type="radio" name={name} value={value} checked={index === 0} required />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** When there is nothing to answer: the request is over, or it was wrong. */
export function renderNoticePage(title: string, text: string, detail: string | undefined, setting: Setting): string {
  return renderPeoplePage({
    title,
    ...setting,
    children: (
      <section class="card result">
        <ResultMark tone="bad" />
        <h1>{title}</h1>
        <p>{text}</p>
        {detail && (
          <p class="small code" lang="en" dir="ltr">
            {detail}
          </p>
        )}
      </section>
    ),
  });
}
