import { Ajv } from 'ajv';
import fastJson from 'fast-json-stringify';
import { type TObject, type TSchema, Type } from 'typebox';

/** JSON, also as a JSON string for protocols that carry it as text. */
interface JsonText {
  readonly text: string;
  quoted(): string;
}

export interface JsonWriter {
  write(value: unknown): JsonText;
  /** What is wrong with a value by its schema; undefined when nothing is. */
  check(value: unknown): string | undefined;
}

const ajv = new Ajv({ strict: false, allErrors: true, formats: { uuid: true, 'date-time': true, email: true } });

/**
 * @param shared names a member whose object stands in many answers, such as an order's merchant: it is written once per
 * object, which nobody may change, and comes last.
 */
export function jsonWriter(schema: TSchema, shared?: string): JsonWriter {
  const validate = ajv.compile(schema);
  const check = (value: unknown) => (validate(value) ? undefined : ajv.errorsText(validate.errors));
  if (shared !== undefined) return { write: sharingWriter(schema as TObject, shared), check };
  const stringify = stringifierOf(schema);
  return { write: (value) => plainText(stringify(value)), check };
}

type Stringify = (value: unknown) => string;

function stringifierOf(schema: TSchema): Stringify {
  return fastJson(schema as Parameters<typeof fastJson>[0]);
}

const plainText = (text: string): JsonText => ({ text, quoted: () => JSON.stringify(text) });

/** How an object ends that has a shared member last. */
interface SharedEnd {
  readonly text: string;
  readonly escaped: string;
}

function sharingWriter(schema: TObject, shared: string): (value: unknown) => JsonText {
  const writeOwn = stringifierOf(Type.Omit(schema, [shared]));
  const writeShared = stringifierOf(schema.properties[shared]!);
  const ends = new WeakMap<object, SharedEnd>();

  function endOf(part: object): SharedEnd {
    let end = ends.get(part);
    if (end === undefined) {
      const text = `,${JSON.stringify(shared)}:${writeShared(part)}}`;
      end = { text, escaped: JSON.stringify(text).slice(1) };
      ends.set(part, end);
    }
    return end;
  }

  return (value) => {
    const own = writeOwn(value);
    const part = (value as Record<string, object | undefined>)[shared];
    if (part === undefined) return plainText(own);
    const start = own.slice(0, -1);
    const end = endOf(part);
    return { text: start + end.text, quoted: () => JSON.stringify(start).slice(0, -1) + end.escaped };
  };
}
