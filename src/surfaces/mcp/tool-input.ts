import { invalid } from '../../kernel/errors.ts';
import type { RawInput } from '../../operation/input.ts';
import type { Tool } from './tool.ts';

/**
 * Sorts a tool's arguments into the three parts of the operation's input. Null means "not given".
 * @throws {AppError} 422 that names every argument the tool does not have.
 */
export function toRawInput(tool: Tool, args: Readonly<Record<string, unknown>>): RawInput {
  const params: Record<string, string> = {};
  const query: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  const faults: string[] = [];
  let idempotencyKey: string | undefined;
  for (const wrapper of wrappersOf(tool)) body[wrapper] = {};

  for (const [name, value] of Object.entries(args)) {
    const place = tool.places.get(name);
    if (!place) {
      faults.push(
        `${name} is no argument of ${tool.listed.name}; it takes ${[...tool.places.keys()].join(', ') || 'none'}`,
      );
      continue;
    }
    if (value === null || value === undefined) continue;
    if (place.in === 'body') {
      const target = place.wrapper === undefined ? body : (body[place.wrapper] as Record<string, unknown>);
      target[place.name] = value;
      continue;
    }
    const text = asText(value);
    if (text === undefined) faults.push(`${name} must be text or a number`);
    else if (place.in === 'path') params[place.name] = text;
    else if (place.in === 'query') query[place.name] = text;
    else idempotencyKey = text;
  }
  for (const [name, place] of tool.places) {
    if (place.in === 'path' && params[place.name] === undefined && !faults.length) faults.push(`${name} is required`);
  }
  if (faults.length > 0) throw invalid(...faults);
  return { params, query, body, idempotencyKey };
}

/** What a wrapped body always has, even when none of its members is given. */
function wrappersOf(tool: Tool): Set<string> {
  const required = (tool.operation.body as { required?: string[] } | undefined)?.required ?? [];
  const wrappers = [...tool.places.values()].flatMap((place) =>
    place.in === 'body' && place.wrapper !== undefined ? [place.wrapper] : [],
  );
  return new Set(wrappers.filter((wrapper) => required.includes(wrapper) || wrappers.length > 0));
}

/** Lists of words, such as for `expand`, are joined as the query has them. */
function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(',');
  return undefined;
}
