import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icons.tsx';

/** A figure, hash or invoice that reads from left to right in every language. */
export function Ltr({ children }: { children: ComponentChildren }): JSX.Element {
  return <bdi dir="ltr">{children}</bdi>;
}

/** Logo and name; the first letter stands in for a logo. */
export function MerchantMark({ name, logoUrl }: { name: string; logoUrl: string | null }): JSX.Element {
  return (
    <div class="merchant">
      {logoUrl?.startsWith('https:') ? (
        <img class="logo" src={logoUrl} alt="" width="36" height="36" referrerpolicy="no-referrer" />
      ) : (
        <span class="logo" aria-hidden="true">
          {([...name.trim()][0] ?? '').toUpperCase()}
        </span>
      )}
      <bdi>{name}</bdi>
    </div>
  );
}

interface ButtonProps {
  children: ComponentChildren;
  icon?: IconName;
  /** At most one on a screen: what most people came for. */
  accent?: boolean;
  class?: string;
}

export function LinkButton({
  children,
  icon,
  accent,
  href,
  class: more,
  ...rest
}: ButtonProps & LinkProps): JSX.Element {
  return (
    <a class={buttonClass(accent, more)} href={href} {...rest}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  );
}

interface LinkProps {
  href: string;
  target?: '_top' | '_blank' | undefined;
  rel?: string | undefined;
  id?: string;
}

/** A button that sends the form around it. */
export function SubmitButton({ children, icon, accent, class: more, ...rest }: ButtonProps & SubmitProps): JSX.Element {
  return (
    <button type="submit" class={buttonClass(accent, more)} {...rest}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

interface SubmitProps {
  disabled?: boolean;
  /** Sent with the form, so that it tells which of several buttons was pressed. */
  name?: string;
  value?: string;
}

function buttonClass(accent: boolean | undefined, more: string | undefined): string {
  return ['button', accent ? 'accent' : '', more ?? ''].filter(Boolean).join(' ');
}

interface FieldProps {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password' | 'tel';
  value?: string;
  autocomplete?: string;
  inputmode?: 'numeric';
  required?: boolean;
  /** Shown, and not to be changed. */
  readonly?: boolean;
  /** What is wrong with the value that was sent, as a sentence. */
  fault?: string | undefined;
  /** What is asked of a value. */
  hint?: string;
}

/** A labelled input; fault and hint are tied to it for those who cannot see. */
export function Field({ label, name, type = 'text', fault, hint, ...input }: FieldProps): JSX.Element {
  const [faultId, hintId] = [`${name}-fault`, `${name}-hint`];
  // Preact's types tie what may be completed to each kind of input.
  const attributes: Record<string, string | boolean | undefined> = { type, ...input };
  return (
    <div class="labelled">
      <label for={name}>{label}</label>
      <input
        class="field"
        id={name}
        name={name}
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={[fault && faultId, hint && hintId].filter(Boolean).join(' ') || undefined}
        {...attributes}
      />
      {fault && (
        <p class="fault" id={faultId}>
          {fault}
        </p>
      )}
      {hint && (
        <p class="small" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** A sentence on coloured ground. */
export function Notice({ tone, children }: { tone: 'ok' | 'warn' | 'bad'; children: ComponentChildren }): JSX.Element {
  return <p class={`notice ${tone}`}>{children}</p>;
}

const resultIcons = { ok: 'check', warn: 'clock', bad: 'alert' } as const;

interface TryAgainProps {
  tone: 'warn' | 'bad';
  title: string;
  /** What the button says. */
  label: string;
  /** Where one tries again, seen from the address that was asked for. */
  again: string;
  children: ComponentChildren;
}

/** The card of a page that could not be shown this time. */
export function TryAgain({ tone, title, label, again, children }: TryAgainProps): JSX.Element {
  return (
    <section class="card result">
      <ResultMark tone={tone} />
      <h1>{title}</h1>
      {children}
      <div class="stack">
        <LinkButton accent href={again}>
          {label}
        </LinkButton>
      </div>
    </section>
  );
}

/** The round mark above the outcome of something. */
export function ResultMark({ tone }: { tone: 'ok' | 'warn' | 'bad' | 'busy' }): JSX.Element {
  return (
    <div class={`mark ${tone}`}>
      {tone === 'busy' ? (
        <svg class="arc" viewBox="0 0 40 40" aria-hidden="true">
          <circle cx="20" cy="20" r="16" pathLength="100" />
        </svg>
      ) : (
        <Icon name={resultIcons[tone]} />
      )}
    </div>
  );
}
