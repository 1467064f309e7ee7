import type { Static, TObject, TSchema } from 'typebox';
import type { Handle } from '../db/database.ts';
import type { Parts } from '../flows/parts.ts';
import type { CallContext, Caller, OauthScope, Permission, Scope } from '../kernel/context.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import type { Filter, FilterFields } from '../kernel/filters.ts';
import type { PageRequest } from '../kernel/page.ts';
import type { OrderSource } from '../model/order.ts';

/**
 * One API operation, declared once. HTTP route, OpenAPI document, MCP tool and the endpoint table of the docs all come
 * from this declaration; `perform()` is the only way to run it.
 */
export interface Operation {
  /** snake_case, verb first: `create_order`. Also the tool's name. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `{id}` placeholders. */
  readonly path: string;
  readonly status: number;
  readonly access: Access;
  /** Path parameters, each with the resource its UUID names: a malformed one is that resource's 404. */
  readonly params: Readonly<Record<string, string>>;
  /** Those of `params` that are no UUIDs: they arrive as they were sent, and `run` decides what they name. */
  readonly textParams: readonly string[];
  /** Those of `params` that may be a slug (`prod_…`) as well as a UUID. */
  readonly slugParams: readonly string[];
  readonly body: TSchema | undefined;
  readonly query: QueryDeclaration;
  readonly answer: AnswerKind;
  /** How many seconds anybody may keep the answer; it then carries an ETag made of its bytes. Public reading only. */
  readonly cacheSeconds: number | undefined;
  /** Codes beyond those every operation can answer. */
  readonly fails: readonly ErrorCode[];
  readonly tool: ToolDeclaration | false;
  readonly idempotency: Idempotency | ((input: OperationInput) => Idempotency);
  /** Whether it is told in the audit log: what changes keys, wallets, webhooks, people and settings. */
  readonly audit: boolean;
  readonly run: ((call: Call, input: OperationInput) => Promise<unknown>) | undefined;
  readonly steps: WalletSteps<unknown, unknown> | undefined;
}

/** What a secret key must be allowed to do, and who else may call it. */
export interface Access {
  /** undefined: any secret key may. */
  readonly permission: Permission | undefined;
  readonly publishable?: boolean;
  /** What an OAuth connection must be allowed; left out: `catalog` where the permission is of the catalog, else none may. */
  readonly oauthScope?: OauthScope;
  /** Nobody is asked for a key: declared with `publicOperation`, whose `run` knows no caller. */
  readonly public?: true;
  /** Also open to merchants that are not active (their key still must be valid). */
  readonly whileInactive?: boolean;
  /** Live keys are refused: the operation only makes sense on test data. */
  readonly testOnly?: boolean;
}

export interface QueryDeclaration {
  readonly paged?: boolean;
  /** Page size where none is asked for; 25 unless said otherwise. */
  readonly perPage?: number;
  readonly filters?: FilterFields;
  readonly expand?: readonly string[];
  /** Further plain parameters, each read as text. */
  readonly plain?: Readonly<Record<string, { description: string; words?: readonly string[] }>>;
}

export type AnswerKind =
  /**
   * With `tagged`, `run` returns a `Tagged` and the answer carries an ETag. Reading operations only.
   * `shared` names a member that is the same unchanging object in many answers; it is written once.
   */
  | { readonly kind: 'json'; readonly schema: TSchema; readonly tagged?: true; readonly shared?: string }
  | {
      readonly kind: 'list';
      readonly item: TSchema;
      readonly extra?: Readonly<Record<string, TSchema>>;
      /** Whoever asks for `text/csv` gets all of it, unpaged. Rows have `id` and `created_at` and are newest first. */
      readonly csv?: true;
      /** `meta` counts pages and rows but names no neighbours: the interface's form of public lists. */
      readonly countsOnly?: true;
    }
  | { readonly kind: 'raw'; readonly mediaType: string }
  /** `run` returns an async iterable of text that goes on until `call.signal` aborts. Never inside a transaction. */
  | { readonly kind: 'stream'; readonly mediaType: string }
  | { readonly kind: 'empty' };

export const json = (schema: TSchema): AnswerKind => ({ kind: 'json', schema });
export const jsonSharing = (shared: string, schema: TObject): AnswerKind => ({ kind: 'json', schema, shared });
export const taggedJson = (schema: TSchema): AnswerKind => ({ kind: 'json', schema, tagged: true });
export const listOf = (item: TSchema, extra: Readonly<Record<string, TSchema>> = {}): AnswerKind => ({
  kind: 'list',
  item,
  extra,
});
export const csvListOf = (item: TSchema): AnswerKind => ({ kind: 'list', item, csv: true });
export const publicListOf = (item: TSchema): AnswerKind => ({ kind: 'list', item, countsOnly: true });
export const raw = (mediaType: string): AnswerKind => ({ kind: 'raw', mediaType });
export const stream = (mediaType: string): AnswerKind => ({ kind: 'stream', mediaType });
export const empty: AnswerKind = { kind: 'empty' };

export interface ToolDeclaration {
  /** Tells a model when to use it. */
  readonly description?: string;
  /** Argument names that differ from the REST members, such as `{ id: 'order_id' }`. */
  readonly rename?: Readonly<Record<string, string>>;
  /** What it takes in place of the REST body, where a tool may leave out more. */
  readonly body?: TSchema;
  /** Arguments that the tool has besides; `adapt` turns them into those of the operation. */
  readonly extra?: Readonly<Record<string, TSchema>>;
  /** Arguments that the body requires and the tool does not. */
  readonly optional?: readonly string[];
  /** Arguments that the tool cannot do without, though REST may get them in another way. */
  readonly required?: readonly string[];
  /** Turns what an agent gave into arguments of the operation. @throws {AppError} 422 */
  readonly adapt?: (given: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** Whether it changes or ends something that is there; left out: PATCH and DELETE do. */
  readonly destructive?: boolean;
}

/**
 * none: reads. database: one transaction around `run`. wallet: `steps`, because a wallet is asked in between
 * (flows/README.md, "Idempotency").
 */
type Idempotency = 'none' | 'database' | 'wallet';

/** The input in its three parts, so that a member of the body can never stand in for the path's. */
export interface OperationInput<Body = unknown> {
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly page: PageRequest;
  readonly filters: readonly Filter[];
  readonly expand: ReadonlySet<string>;
  /** Plain query parameters that were given. */
  readonly plain: Readonly<Record<string, string>>;
  /** `Last-Event-ID` of a stream's client that comes back (HTML standard, "Server-sent events"). */
  readonly lastEventId: string | undefined;
  /** `X-Access-Token`; it wins over the body's. */
  readonly accessToken: string | undefined;
  /** Whether a web page asks: the request named its `Origin`. */
  readonly fromBrowser: boolean;
}

export interface Call extends CallContext {
  readonly parts: Parts;
  /** The running transaction of a writing operation, the database itself for a reading one. */
  readonly db: Handle;
  readonly caller: Caller;
  readonly scope: Scope;
  /** Business time, read once per call. */
  readonly now: Date;
  /** Which door the call came through; recorded on orders and sales. */
  readonly source: OrderSource;
  /** Runs once the change is committed; signals only. */
  afterCommit(effect: () => void): void;
}

/** A call that anybody may make; a key that is sent along is not looked at. */
export type PublicCall = Omit<Call, 'caller' | 'scope'>;

/**
 * An operation that asks a wallet in the middle: `prepare` freezes everything that must not change between tries,
 * `ask` talks to the outside world, `commit` writes the outcome in one transaction.
 */
interface WalletSteps<Frozen, Fact, Body = unknown> {
  prepare(call: Call, input: OperationInput<Body>): Promise<Frozen>;
  /** An earlier try with the same frozen input may have reached the outside world already. */
  ask(call: Omit<Call, 'db'>, frozen: Frozen): Promise<Fact>;
  commit(call: Call, frozen: Frozen, fact: Fact): Promise<unknown>;
  /** How long a key is held while `ask` runs, where that may take longer than a sale. */
  readonly leaseSeconds?: number;
}

interface Declaration<Body extends TSchema | undefined, Frozen, Fact> {
  name: string;
  summary: string;
  description?: string;
  method: Operation['method'];
  path: string;
  status?: number;
  access: Access;
  params?: Readonly<Record<string, string>>;
  textParams?: readonly string[];
  slugParams?: readonly string[];
  body?: Body;
  query?: QueryDeclaration;
  answer: AnswerKind;
  cacheSeconds?: number;
  fails?: readonly ErrorCode[];
  tool: ToolDeclaration | false;
  idempotency?: Idempotency | ((input: OperationInput<BodyOf<Body>>) => Idempotency);
  audit?: true;
  run?: (call: Call, input: OperationInput<BodyOf<Body>>) => Promise<unknown>;
  steps?: WalletSteps<Frozen, Fact, BodyOf<Body>>;
}

type BodyOf<Body extends TSchema | undefined> = Body extends TSchema ? Static<Body> : undefined;

/** Declares an operation; types of `run` and `steps` follow from the schemas. */
export function operation<const Body extends TSchema | undefined = undefined, Frozen = unknown, Fact = unknown>(
  declaration: Declaration<Body, Frozen, Fact>,
): Operation {
  return {
    ...declaration,
    status: declaration.status ?? 200,
    params: declaration.params ?? {},
    textParams: declaration.textParams ?? [],
    slugParams: declaration.slugParams ?? [],
    body: declaration.body,
    query: declaration.query ?? {},
    cacheSeconds: declaration.cacheSeconds,
    fails: declaration.fails ?? [],
    idempotency: (declaration.idempotency ?? 'none') as Operation['idempotency'],
    audit: declaration.audit ?? false,
    run: declaration.run as Operation['run'],
    steps: declaration.steps as Operation['steps'],
  };
}

type PublicDeclaration<Body extends TSchema | undefined> = Omit<
  Declaration<Body, never, never>,
  'access' | 'idempotency' | 'run' | 'steps'
> & {
  /** database: one transaction around `run`. There are no idempotency keys without a credential to keep them for. */
  idempotency?: 'none' | 'database';
  run: (call: PublicCall, input: OperationInput<BodyOf<Body>>) => Promise<unknown>;
};

/** Declares an operation that needs no key. Browsers may call it from any page. */
export function publicOperation<const Body extends TSchema | undefined = undefined>(
  declaration: PublicDeclaration<Body>,
): Operation {
  const { run, ...rest } = declaration;
  return operation<Body>({
    ...(rest as Omit<Declaration<Body, unknown, unknown>, 'access' | 'run'>),
    access: { permission: undefined, public: true },
    run,
  });
}
