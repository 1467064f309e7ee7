import type { JSX } from 'preact';
import type { SignedIn } from '../../../flows/browser-sign-in.ts';
import { connectingRoles } from '../../../model/oauth-connection.ts';
import type { UserSession } from '../../../model/user-session.ts';
import { figuresOf } from '../../pages/figures.ts';
import { inLanguage, type Language } from '../../pages/language.ts';
import { LinkButton, SubmitButton } from '../../pages/parts.tsx';
import { wordsOf } from '../words.ts';
import { renderPeoplePage, type Setting } from './people-page.tsx';

interface AccountPage extends Setting {
  signedIn: SignedIn;
  signIns: readonly UserSession[];
  /** Whether any are there that this person may disconnect. */
  hasAssistants: boolean;
}

/** Who one is, where one works, and where one is signed in. */
export function renderAccountPage(page: AccountPage): string {
  const { signedIn, signIns, hasAssistants, language, locale, nonce } = page;
  const words = wordsOf(language);
  const { user, memberships, sessionId } = signedIn;
  return renderPeoplePage({
    title: words.account,
    language,
    nonce,
    kept: {},
    children: (
      <>
        <section class="card stack">
          <h1>{words.account}</h1>
          <p>
            {user.name && <strong>{user.name} </strong>}
            <bdi class="muted">{user.email}</bdi>
          </p>
          <form method="post" action={inLanguage('/sign-out', locale)}>
            <SubmitButton>{words.signOut}</SubmitButton>
          </form>
        </section>
        <section class="card stack">
          <h2>{words.merchants}</h2>
          <Merchants memberships={memberships} language={language} />
        </section>
        <section class="card stack">
          <h2>{words.secondFactor}</h2>
          <p class="muted">{user.hasSecondFactor ? words.factorOn : words.factorOff}</p>
          <LinkButton href={inLanguage('/account/second-factor', locale)}>
            {user.hasSecondFactor ? words.change : words.setUp}
          </LinkButton>
        </section>
        {memberships.some(({ role }) => connectingRoles.includes(role)) && (
          <section class="card stack">
            <h2>{words.assistants}</h2>
            <p class="muted">{hasAssistants ? words.assistantsText : words.noAssistants}</p>
            {hasAssistants && <LinkButton href={inLanguage('/account/assistants', locale)}>{words.show}</LinkButton>}
          </section>
        )}
        <section class="card stack">
          <h2>{words.signIns}</h2>
          <ul class="rows">
            {signIns.map((signIn) => (
              <SignIn
                key={signIn.id}
                signIn={signIn}
                isThisOne={signIn.id === sessionId}
                language={language}
                locale={locale}
              />
            ))}
          </ul>
          <details class="more">
            <summary>{words.everywhere}</summary>
            <form method="post" action={inLanguage('/account/sign-out-everywhere', locale)} class="stack">
              <p class="small">{words.everywhereText}</p>
              <SubmitButton>{words.everywhere}</SubmitButton>
            </form>
          </details>
        </section>
      </>
    ),
  });
}

function Merchants({ memberships, language }: { language: Language } & Pick<SignedIn, 'memberships'>): JSX.Element {
  const words = wordsOf(language);
  if (memberships.length === 0) return <p class="muted">{words.noMerchants}</p>;
  return (
    <ul class="rows">
      {memberships.map(({ merchant_id: id, name, role, status }) => (
        <li key={id}>
          <span>
            <strong>{name}</strong>
            <span class="small">
              {words.roles[role]}
              {status !== 'active' && ` · ${words.states[status]}`}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function SignIn({ signIn, isThisOne, language, locale }: SignInProps): JSX.Element {
  const words = wordsOf(language);
  const device = signIn.device ?? (signIn.kind === 'api' ? words.api : words.browser);
  return (
    <li>
      <span>
        <strong>{device}</strong>
        <span class="small">
          {isThisOne ? words.thisOne : words.lastUsed(figuresOf(language).time(signIn.last_used_at, 'UTC', true))}
        </span>
      </span>
      {!isThisOne && (
        <form method="post" action={inLanguage(`/account/sign-ins/${signIn.id}/end`, locale)}>
          <button type="submit" class="plain" aria-label={words.endOf(device)}>
            {words.end}
          </button>
        </form>
      )}
    </li>
  );
}

interface SignInProps extends Pick<Setting, 'language' | 'locale'> {
  signIn: UserSession;
  isThisOne: boolean;
}
