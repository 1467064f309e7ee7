import { AppError, invalid } from '../../kernel/errors.ts';
import { readBody } from '../../operation/body.ts';
import type { RawInput } from '../../operation/input.ts';
import type { Tool } from './tool.ts';

const longestShown = 64;

/**
 * Sorts a tool's arguments into the three parts of the operation's input. Null means "not given".
 * @throws {AppError} 422 naming every argument that the tool does not have, or whose kind is wrong.
 */
export function toRawInput(tool: Tool, args: Readonly<Record<string, unknown>>): RawInput {
  const given = readArguments(tool, args);
  const params: Record<string, string> = {};
  const query: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  let idempotencyKey: string | undefined;
  // What a wrapped body always has, even when none of its members is given.
  for (const wrapper of tool.wrappers) body[wrapper] = {};

  for (const [name, value] of Object.entries(tool.adapt ? tool.adapt(given) : given)) {
    const { place } = tool.arguments.get(name)!;
    if (place.in === 'path') params[place.name] = value as string;
    else if (place.in === 'query') query[place.name] = String(value);
    else if (place.in === 'key') idempotencyKey = value as string;
    else if (place.in === 'body') {
      const target = place.wrapper === undefined ? body : (body[place.wrapper] as Record<string, unknown>);
      target[place.name] = value;
    }
  }
  return { params, query, body, idempotencyKey };
}

/** The arguments that were given, their names and kinds checked; what goes into the body is checked there. */
function readArguments(tool: Tool, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  const besideBody: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    const place = tool.arguments.get(name)?.place;
    if (!place) unknown.push(name);
    else if (value !== null) {
      given[name] = place.in === 'query' && place.takesList && isWords(value) ? value.join(',') : value;
      if (place.in !== 'body') besideBody[name] = given[name];
    }
  }
  if (unknown.length > 0) throw invalid(...unknown.map((name) => unknownArgument(name, tool)));
  if (tool.besideBody) readBody(tool.besideBody, besideBody, 'validation_error');
  return given;
}

const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function unknownArgument(name: string, { name: tool, arguments: known }: Tool): string {
  const shown = name.length > longestShown ? `${name.slice(0, longestShown).toWellFormed()}…` : name.toWellFormed();
  return `${shown} is not an argument of ${tool}; it takes ${[...known.keys()].join(', ') || 'none'}`;
}

/** What the operation says of its input, in the names that the tool's arguments have: no `q[…]`, no headers. */
export function inArguments(tool: Tool, error: AppError): AppError {
  const { code, cause, retryAfterSeconds } = error;
  const spoken = (sentence: string) => {
    let text = sentence.replaceAll('Idempotency-Key', 'idempotency_key');
    for (const [name, { place }] of tool.arguments) {
      if (place.in === 'query' && place.name !== name) text = text.replaceAll(place.name, name);
    }
    return text;
  };
  return new AppError(code, spoken(error.message), {
    cause,
    ...(error.details ? { details: error.details.map(spoken) } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
