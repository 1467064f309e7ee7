import { Ajv } from 'ajv';
import fastJson from 'fast-json-stringify';
import { type TObject, type TSchema, Type } from 'typebox';

export interface JsonWriter {
  stringify(value: unknown): string;
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
  return {
    stringify: shared === undefined ? stringifierOf(schema) : sharingStringifier(schema as TObject, shared),
    check: (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors)),
  };
}

type Stringify = (value: unknown) => string;

function stringifierOf(schema: TSchema): Stringify {
  return fastJson(schema as Parameters<typeof fastJson>[0]);
}

function sharingStringifier(schema: TObject, shared: string): Stringify {
  const writeOwn = stringifierOf(Type.Omit(schema, [shared]));
  const writeShared = stringifierOf(schema.properties[shared]!);
  const written = new WeakMap<object, string>();

  return (value) => {
    const own = writeOwn(value);
    const part = (value as Record<string, object | undefined>)[shared];
    if (part === undefined) return own;
    let text = written.get(part);
    if (text === undefined) {
      text = `${JSON.stringify(shared)}:${writeShared(part)}}`;
      written.set(part, text);
    }
    return `${own.slice(0, -1)},${text}`;
  };
}
