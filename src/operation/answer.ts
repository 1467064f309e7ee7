import { createHash } from 'node:crypto';
import { type TSchema, Type } from 'typebox';
import { type Page, type PageMeta, type PageRequest, pageMeta } from '../kernel/page.ts';
import { objectName } from '../model/fields.ts';
import { type JsonWriter, jsonWriter } from './json-writer.ts';
import type { AnswerKind, Operation } from './operation.ts';

/** An answer ready to leave by any door. */
export interface Answer {
  readonly status: number;
  readonly mediaType: string | undefined;
  readonly body: string;
  /** `body` as a JSON string. */
  readonly quoted?: () => string;
  /** The same as `body`, where it is sent more than once. */
  readonly bytes?: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** In place of `body`, for answers that go on. */
  readonly stream?: AsyncIterable<string>;
}

/** What a list operation's `run` returns: shapes in place of rows, and members that stand beside the list. */
export interface ListAnswer {
  readonly page: PageRequest;
  readonly result: Page<unknown>;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * What a `tagged` operation's `run` returns. The tag is known before the answer is made, so a caller that still has this
 * answer costs no more than the tag. Nobody changes a value that was loaded: its bytes are made once.
 */
export interface Tagged {
  /** An entity tag with its quotes, different for everything that the answer depends on (RFC 9110, section 8.8.3). */
  readonly etag: string;
  load(): Promise<object>;
}

const pageMetaSchema = Type.Object({
  current_page: Type.Integer(),
  per_page: Type.Integer(),
  total_count: Type.Integer(),
  total_pages: Type.Integer(),
  next_page: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  prev_page: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
});
const countsOnlySchema = Type.Omit(pageMetaSchema, ['next_page', 'prev_page']);

/** The schema of an operation's JSON answer, undefined when it has none. */
export function answerSchema(answer: AnswerKind): TSchema | undefined {
  if (answer.kind === 'json') return answer.schema;
  if (answer.kind !== 'list') return undefined;
  return Type.Object({
    object: objectName('list'),
    data: Type.Array(answer.item),
    meta: answer.countsOnly ? countsOnlySchema : pageMetaSchema,
    ...answer.extra,
  });
}

// By the answer, since an operation that is audited is another object at each call.
const writers = new WeakMap<AnswerKind, JsonWriter>();

/**
 * Turns what `run` returned into bytes. The schema is an allow-list: a member it does not name does not leave.
 * @param strict also validates the answer, which the serialiser alone does not: it turns a null where the schema says
 * integer into 0. Tests and development run with it on.
 */
export function writeAnswer(operation: Operation, value: unknown, strict: boolean): Answer {
  const { answer, status } = operation;
  switch (answer.kind) {
    case 'empty':
      return { status, mediaType: undefined, body: '', headers: {} };
    case 'raw':
      return { status, mediaType: answer.mediaType, body: value as string, headers: {} };
    case 'stream':
      return { status, mediaType: answer.mediaType, body: '', headers: {}, stream: value as AsyncIterable<string> };
    case 'json':
    case 'list': {
      const plain = answer.kind === 'list' ? toEnvelope(value as ListAnswer) : value;
      const writer = writerOf(answer);
      const fault = strict ? writer.check(plain) : undefined;
      if (fault) throw new Error(`${operation.name} answered outside its schema: ${fault}`);
      const { text, quoted } = writer.write(plain);
      return { status, mediaType: 'application/json; charset=utf-8', body: text, quoted, headers: {} };
    }
  }
}

const taggedAnswers = new WeakMap<object, Answer>();

/** 304 when `ifNoneMatch` names the tag, else the whole answer; its owner may keep it but must ask before using it. */
export function writeTaggedAnswer(
  operation: Operation,
  { etag, load }: Tagged,
  ifNoneMatch: string | undefined,
  strict: boolean,
): Answer | Promise<Answer> {
  const headers = { etag, 'cache-control': 'private, no-cache', vary: 'authorization' };
  if (namesTag(ifNoneMatch, etag)) return { status: 304, mediaType: undefined, body: '', headers };
  return load().then((value) => {
    const kept = taggedAnswers.get(value) ?? keepAnswer(value, writeAnswer(operation, value, strict));
    return { ...kept, headers };
  });
}

function keepAnswer(value: object, answer: Answer): Answer {
  const kept = { ...answer, bytes: Buffer.from(answer.body) };
  taggedAnswers.set(value, kept);
  return kept;
}

/** Lets anybody keep an answer for so many seconds, under a tag made of its bytes; 304 to who still has them. */
export function asCacheable(answer: Answer, seconds: number, ifNoneMatch: string | undefined): Answer {
  const etag = `"${createHash('sha256').update(answer.body).digest('base64url').slice(0, 27)}"`;
  const headers = { etag, 'cache-control': `public, max-age=${seconds}` };
  if (namesTag(ifNoneMatch, etag)) return { status: 304, mediaType: undefined, body: '', headers };
  return { ...answer, headers };
}

// Weak comparison, RFC 9110, sections 8.8.3.2 and 13.1.2.
function namesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch === etag) return ifNoneMatch === etag;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || ifNoneMatch.trim() === '*';
}

function toEnvelope({ page, result, extra }: ListAnswer): { object: 'list'; data: unknown; meta: PageMeta } {
  return { object: 'list', data: result.rows, meta: pageMeta(page, result.totalCount), ...extra };
}

function writerOf(answer: AnswerKind): JsonWriter {
  const known = writers.get(answer);
  if (known) return known;
  const writer = jsonWriter(answerSchema(answer)!, answer.kind === 'json' ? answer.shared : undefined);
  writers.set(answer, writer);
  return writer;
}
