import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { nullable } from '../../src/model/fields.ts';
import { writeAnswer } from '../../src/operation/answer.ts';
import { type AnswerKind, empty, json, listOf, operation, raw } from '../../src/operation/operation.ts';

const thing = Type.Object({
  text: Type.String(),
  count: Type.Integer(),
  flag: Type.Boolean(),
  maybe: nullable(Type.Integer()),
  maybe_text: nullable(Type.String()),
  optional: Type.Optional(Type.String()),
  list: Type.Array(Type.String()),
  free: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
});
const whole = { text: 'x', count: 1, flag: true, maybe: null, maybe_text: null, list: [], free: {} };

function answering(answer: AnswerKind, status = 200) {
  return operation({
    name: 'get_thing',
    summary: 'A thing',
    method: 'GET',
    path: '/api/v1/m/thing',
    status,
    access: { permission: 'orders:read' },
    answer,
    tool: false,
    run: async () => undefined,
  });
}
const write = (value: unknown, strict = true) => writeAnswer(answering(json(thing)), value, strict);

describe('a JSON answer', () => {
  test('lets out what the schema names and nothing else', () => {
    const answer = write({ ...whole, secret: 'hidden', free: { anything: 'goes' } });
    expect(JSON.parse(answer.body)).toEqual({ ...whole, free: { anything: 'goes' } });
    expect(answer).toMatchObject({ status: 200, mediaType: 'application/json; charset=utf-8', headers: {} });
  });

  test('keeps null, 0, false and "" what they are, and leaves out what is undefined', () => {
    const plain = { ...whole, text: '', count: 0, flag: false, optional: undefined };
    expect(JSON.parse(write(plain).body)).toEqual({ ...whole, text: '', count: 0, flag: false });
    expect(JSON.parse(write({ ...whole, maybe: 0, maybe_text: '' }).body)).toMatchObject({ maybe: 0, maybe_text: '' });
  });

  test.each([
    [{ ...whole, count: null }, /count/],
    [{ ...whole, count: 1.5 }, /count/],
    [{ ...whole, count: '1' }, /count/],
    [{ ...whole, text: null }, /text/],
    [{ ...whole, flag: 'true' }, /flag/],
    [{ ...whole, list: [null] }, /list/],
    [{ ...whole, text: undefined }, /text/],
    [undefined, /object/],
  ])('is checked where strict answers are on: %j', (value, fault) => {
    expect(() => write(value)).toThrow(/get_thing answered outside its schema/);
    expect(() => write(value)).toThrow(fault);
  });

  test('reads back as exactly what went in', () => {
    const text = fc.string({ unit: 'grapheme' });
    const anything = fc.record({
      text,
      count: fc.maxSafeInteger(),
      flag: fc.boolean(),
      maybe: fc.option(fc.maxSafeInteger()),
      maybe_text: fc.option(text),
      list: fc.array(text, { maxLength: 5 }),
      free: fc.dictionary(text, fc.jsonValue({ maxDepth: 3 })),
    });
    fc.assert(
      fc.property(anything, (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        for (const strict of [true, false]) expect(JSON.parse(write(plain, strict).body)).toEqual(plain);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a list', () => {
  const list = answering(listOf(Type.Object({ id: Type.String() }), { available: Type.Array(Type.String()) }));

  test('stands in the envelope, with what belongs beside it', () => {
    const value = {
      page: { page: 2, perPage: 2 },
      result: { rows: [{ id: 'c', secret: 1 }, { id: 'd' }], totalCount: 5 },
      extra: { available: ['x'] },
    };
    expect(JSON.parse(writeAnswer(list, value, true).body)).toEqual({
      object: 'list',
      data: [{ id: 'c' }, { id: 'd' }],
      meta: { current_page: 2, per_page: 2, total_count: 5, total_pages: 3, next_page: 3, prev_page: 1 },
      available: ['x'],
    });
  });
});

describe('other answers', () => {
  test('have no body, or their own', () => {
    expect(writeAnswer(answering(empty, 204), undefined, true)).toEqual({
      status: 204,
      mediaType: undefined,
      body: '',
      headers: {},
    });
    expect(writeAnswer(answering(raw('image/svg+xml')), '<svg/>', true)).toMatchObject({
      status: 200,
      mediaType: 'image/svg+xml',
      body: '<svg/>',
    });
  });
});
