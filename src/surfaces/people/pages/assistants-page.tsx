import type { ComponentChildren, JSX } from 'preact';
import type { ManagedConnection } from '../../../flows/end-oauth-connection.ts';
import { wordsOf as oauthWordsOf } from '../../oauth/words.ts';
import { figuresOf } from '../../pages/figures.ts';
import { inLanguage } from '../../pages/language.ts';
import { Ltr, SubmitButton } from '../../pages/parts.tsx';
import { wordsOf } from '../words.ts';
import { renderPeoplePage, type Setting } from './people-page.tsx';

interface AssistantsPage extends Setting {
  connections: readonly ManagedConnection[];
}

/** Which assistants work for one's merchants, what each may do, and the way to end it. */
export function renderAssistantsPage({ connections, language, locale, nonce }: AssistantsPage): string {
  const words = wordsOf(language);
  return renderPeoplePage({
    title: words.assistants,
    language,
    nonce,
    kept: {},
    children: (
      <>
        <section class="card stack">
          <h1>{words.assistants}</h1>
          <p class="muted">{connections.length === 0 ? words.noAssistants : words.assistantsText}</p>
        </section>
        {connections.map((connection) => (
          <Assistant key={connection.id} connection={connection} language={language} locale={locale} />
        ))}
        <p class="foot">
          <a href={inLanguage('/account', locale)}>{words.account}</a>
        </p>
      </>
    ),
  });
}

function Assistant({ connection, language, locale }: AssistantProps): JSX.Element {
  const words = wordsOf(language);
  const oauth = oauthWordsOf(language);
  const time = (at: Date) => figuresOf(language).time(at, 'UTC', true);
  const name = connection.client_name || words.unnamedAssistant;
  return (
    <section class="card stack">
      <div>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <p class="small">
          <bdi>{connection.merchantName}</bdi> · {words.modes[connection.livemode ? 'live' : 'test']}
        </p>
      </div>
      <ul class="bullets">
        {connection.scopes.map((scope) => (
          <li key={scope}>{oauth.scopes[scope]}</li>
        ))}
      </ul>
      <dl class="lines">
        <Fact name={words.answersGoTo}>
          <Ltr>{connection.redirect_host}</Ltr>
        </Fact>
        <Fact name={words.connected}>{time(connection.created_at)}</Fact>
        <Fact name={words.lastUse}>{connection.last_used_at ? time(connection.last_used_at) : words.notUsed}</Fact>
      </dl>
      <details class="more">
        <summary aria-label={words.disconnectOf(name)}>{words.disconnect}</summary>
        <form method="post" action={inLanguage(`/account/assistants/${connection.id}/end`, locale)} class="stack">
          <p class="small">{words.disconnectText}</p>
          <SubmitButton>{words.disconnectOf(name)}</SubmitButton>
        </form>
      </details>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface AssistantProps extends Pick<Setting, 'language' | 'locale'> {
  connection: ManagedConnection;
}
