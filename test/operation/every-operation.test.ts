import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../src/operation/operation.ts';
import { operations } from '../../src/resources/index.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import type { Client, Reply } from '../harness/client.ts';
import { expectError, expectInvalid, unknownFilter } from '../harness/expect.ts';

/** Rules that hold at every door: an operation that is added later is held to them as well. */
let app: TestApp;
let merchant: TestMerchant;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

const someId = '01900000-0000-7000-8000-000000000000';

function call(client: Client, operation: Operation, url: string, body: unknown = {}): Promise<Reply> {
  if (operation.method === 'GET') return client.get(url);
  if (operation.method === 'DELETE') return client.delete(url);
  return operation.method === 'POST' ? client.post(url, body) : client.patch(url, body);
}

const named = operations.map((operation) => [operation.name, operation] as const);
const about = named.filter(([, { params }]) => Object.keys(params).length > 0);
const lists = named.filter(([, { answer }]) => answer.kind === 'list');

describe('an id that is none is the 404 of its resource (case C076)', () => {
  test.each(about)('%s', async (_, operation) => {
    const [[first, resource] = ['', '']] = Object.entries(operation.params);
    for (const id of ['not-a-uuid', '%00']) {
      const url = operation.path.replace(`{${first}}`, id).replace(/\{\w+\}/g, someId);
      const reply = await call(merchant.test, operation, url);
      // The one place where the interface wants 400 for a faulty body and for a key that is not there.
      if (operation.name === 'update_media_key') expect([400, 404]).toContain(reply.status);
      else expectError(reply, 'not_found', { message: `${resource} not found` });
    }
  });
});

describe('a list refuses what it does not know, by name (cases C071, C074)', () => {
  test.each(lists)('%s', async (_, { path, query }) => {
    const url = path.replace(/\{\w+\}/g, someId);
    const get = (text: string) => merchant.test.get(`${url}?${text}`);
    if (!query.plain?.q) {
      expectInvalid(await get('q[surely_nothing_eq]=1'), unknownFilter('q[surely_nothing_eq]'));
      expectInvalid(await get('q=1'), unknownFilter('q'));
    }
    if (!query.paged) return;
    for (const name of ['page', 'per_page']) {
      for (const value of ['0', 'x'])
        expectInvalid(await get(`${name}=${value}`), new RegExp(`^${name} must be a whole number from 1`));
    }
  });
});

interface Place {
  path: readonly string[];
  schema: Record<string, unknown>;
}

/** Every member of a body, however deep, with its schema. */
function places(schema: TSchema | Record<string, unknown>, path: readonly string[] = []): Place[] {
  const { properties = {}, items, anyOf } = schema as { properties?: object; items?: TSchema; anyOf?: TSchema[] };
  const shape = anyOf?.find((one) => (one as { type?: unknown }).type !== 'null');
  if (shape) return places(shape, path);
  const inside = Object.entries(properties).flatMap(([name, member]) => places(member as TSchema, [...path, name]));
  const entries = items ? places(items, [...path, '0']) : [];
  return [...(path.length > 0 ? [{ path, schema: schema as Record<string, unknown> }] : []), ...inside, ...entries];
}

/** A body with nothing but `value` in this place. */
function bodyWith(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, name) => (name === '0' ? [inner] : { [name]: inner }), value);
}

const writing = named.filter(([, { body }]) => body !== undefined);

/** What is no such value in JSON, though a careless reader would make one of it. */
function mistaken({ schema }: Place): unknown[] {
  const types = [schema.type].flat();
  if (types.includes('string')) return [7];
  if (types.includes('integer') || types.includes('number')) return ['7', true];
  return types.includes('boolean') ? ['false', 0] : ['[]'];
}

const nameOf = ({ path }: Place) => path.findLast((name) => name !== '0')!;

describe('no member of a body takes another type (case C078)', () => {
  test.each(writing)('%s', async (_, operation) => {
    const url = operation.path.replace(/\{\w+\}/g, someId);
    for (const place of places(operation.body!)) {
      for (const value of mistaken(place)) {
        const reply = await call(merchant.test, operation, url, bodyWith(place.path, value));
        const sentence = new RegExp(`\\b${nameOf(place)}(\\[0\\])? must be `);
        expect([place.path, [400, 422].includes(reply.status)]).toEqual([place.path, true]);
        expect(reply.body.error.details).toContainEqual(expect.stringMatching(sentence));
      }
    }
  });
});

test('every number and list of a body has an end (case C086)', () => {
  for (const [name, { body }] of writing) {
    for (const { path, schema } of places(body!)) {
      const types = [schema.type].flat();
      if (types.includes('integer') || types.includes('number')) {
        expect([name, path, schema.maximum]).toEqual([name, path, expect.any(Number)]);
      }
      if (types.includes('array')) expect([name, path, schema.maxItems]).toEqual([name, path, expect.any(Number)]);
    }
  }
});

const mailed = writing.flatMap(([name, operation]) =>
  places(operation.body!)
    .filter(({ schema }) => schema.format === 'email')
    .map((place) => [`${nameOf(place)} of ${name}`, operation, place] as const),
);

describe('an e-mail address is one at every door (case C084)', () => {
  test.each(mailed)('%s', async (_, operation, place) => {
    const url = operation.path.replace(/\{\w+\}/g, someId);
    const details = async (address: string) =>
      (await call(merchant.test, operation, url, bodyWith(place.path, address))).body.error?.details ?? [];
    const sentence = `${nameOf(place)} must be an e-mail address`;
    for (const address of ['', 'a@b', 'a@b..co', 'a@b.co\r\nBcc: x@y.z', `${'a'.repeat(300)}@b.co`]) {
      expect([address, await details(address)]).toEqual([address, expect.arrayContaining([sentence])]);
    }
    for (const address of ['a+b@exämple.de', 'A@B.CO', ' a@b.co ']) {
      expect([address, await details(address)]).toEqual([address, expect.not.arrayContaining([sentence])]);
    }
  });

  test('and there are doors that take one', () => {
    expect(mailed.length).toBeGreaterThan(5);
  });
});
