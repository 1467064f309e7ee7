import type { TSchema } from 'typebox';
import { Type } from 'typebox';
import { type ErrorCode, errorStatus } from '../../kernel/errors.ts';
import { type FilterType, filterNames, listCodes } from '../../kernel/filters.ts';
import { defaultPerPage, maxPerPage } from '../../kernel/page.ts';
import { answerSchema } from '../../operation/answer.ts';
import { failureCodes } from '../../operation/failures.ts';
import type { Operation } from '../../operation/operation.ts';
import { toOpenApiSchema } from './schema.ts';

type Json = Record<string, unknown>;

const errorSchema = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    status: Type.Integer(),
    request_id: Type.String(),
    details: Type.Optional(Type.Array(Type.String())),
  }),
});

/** The OpenAPI 3.0.3 description of all operations, with full paths. @param serverUrl the public address. */
export function openApiDocument(operations: readonly Operation[], serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Satline',
      version: '1.0.0',
      description:
        'Non-custodial Bitcoin Lightning payments: every amount settles straight to the merchant’s own wallet.',
      license: { name: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: sk_… or pk_…' } },
      schemas: { error: toOpenApiSchema(errorSchema) },
    },
  };
}

function describe(operation: Operation): Json {
  const parameters = [
    ...pathParameters(operation),
    ...queryParameters(operation),
    ...idempotencyParameter(operation),
    ...tagParameter(operation),
    ...resumeParameter(operation),
    ...accessTokenParameter(operation),
  ];
  return {
    operationId: operation.name,
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    tags: [nounOf(operation.path)],
    ...(operation.access.public ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body
      ? {
          requestBody: {
            required: isRequired(operation.body),
            content: { 'application/json': { schema: toOpenApiSchema(operation.body) } },
          },
        }
      : {}),
    responses: { [operation.status]: success(operation), ...notModified(operation), ...failures(operation) },
  };
}

/** `/api/v1/m/orders/{id}` is of the orders, and so is what stands outside the two namespaces: `/api/v1/rates`. */
function nounOf(path: string): string {
  const [, noun] = /^\/api\/v1\/(?:m\/|pub\/)?(\w+)/.exec(path)!;
  return noun!;
}

function isRequired(body: TSchema): boolean {
  return ((body as { required?: string[] }).required ?? []).length > 0;
}

function success(operation: Operation): Json {
  const { answer } = operation;
  if (answer.kind === 'empty') return { description: 'Done' };
  if (answer.kind === 'raw' || answer.kind === 'stream') {
    return { description: 'Success', content: { [answer.mediaType]: { schema: { type: 'string' } } } };
  }
  return {
    description: 'Success',
    content: {
      'application/json': { schema: toOpenApiSchema(answerSchema(answer)!) },
      ...(answer.kind === 'list' && answer.csv ? { 'text/csv': { schema: { type: 'string' } } } : {}),
    },
  };
}

function isTagged({ answer }: Operation): boolean {
  return answer.kind === 'json' && answer.tagged === true;
}

function hasTag(operation: Operation): boolean {
  return isTagged(operation) || operation.cacheSeconds !== undefined;
}

function notModified(operation: Operation): Json {
  return hasTag(operation) ? { 304: { description: 'What you have is still the answer' } } : {};
}

function failures(operation: Operation): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of failureCodes(operation))
    byStatus.set(errorStatus[code], [...(byStatus.get(errorStatus[code]) ?? []), code]);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, names]) => [
        status,
        {
          description: names.join(', '),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/error' } } },
        },
      ]),
  );
}

/** In the order of the path. */
function pathParameters(operation: Operation): Json[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: operation.params[name!]!,
    schema: pathSchema(operation, name!),
  }));
}

function pathSchema({ textParams, slugParams }: Operation, name: string): Json {
  if (slugParams.includes(name)) return { type: 'string', description: 'UUID or slug' };
  return textParams.includes(name) ? { type: 'string' } : { type: 'string', format: 'uuid' };
}

function queryParameters({ query }: Operation): Json[] {
  const parameters: Json[] = [];
  if (query.paged) {
    parameters.push(
      { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1, default: 1 } },
      {
        name: 'per_page',
        in: 'query',
        schema: { type: 'integer', minimum: 1, maximum: maxPerPage, default: query.perPage ?? defaultPerPage },
      },
    );
  }
  for (const { name, type, predicate } of filterNames(query.filters ?? {})) {
    parameters.push({
      name: `q[${name}]`,
      in: 'query',
      schema: predicate === 'in' ? { type: 'string' } : filterSchema(type),
    });
  }
  for (const [name, { description, words }] of Object.entries(query.plain ?? {})) {
    const schema = { type: 'string', ...(words ? { enum: [...words] } : {}) };
    parameters.push({ name, in: 'query', description, schema });
  }
  if (query.expand) {
    parameters.push({
      name: 'expand',
      in: 'query',
      description: `Comma separated: ${query.expand.join(', ')}`,
      schema: { type: 'string' },
    });
  }
  return parameters;
}

function filterSchema(type: FilterType): Json {
  switch (type.kind) {
    case 'integer':
      return { type: 'integer' };
    case 'timestamp':
      return { type: 'string', format: 'date-time' };
    case 'uuid':
      return { type: 'string', format: 'uuid' };
    case 'boolean':
      return { type: 'boolean' };
    case 'word':
      return { type: 'string', enum: type.words };
    case 'number_code':
      return { type: 'integer', enum: Object.values(type.codes), description: listCodes(type.codes) };
    case 'currency':
      return { type: 'string', minLength: 3, maxLength: 3 };
    case 'text':
      return { type: 'string' };
  }
}

function idempotencyParameter(operation: Operation): Json[] {
  if (operation.idempotency === 'none') return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'The same key with the same input answers the first answer again, for 24 hours',
      schema: { type: 'string', maxLength: 255 },
    },
  ];
}

function accessTokenParameter({ body }: Operation): Json[] {
  if (!(body as { properties?: Json } | undefined)?.properties?.access_token) return [];
  const description = 'The paid-access token; it wins over the body’s';
  return [{ name: 'X-Access-Token', in: 'header', description, schema: { type: 'string' } }];
}

function resumeParameter({ answer }: Operation): Json[] {
  if (answer.kind !== 'stream') return [];
  const description = 'Where a stream that broke off goes on; clients of server-sent events send it by themselves';
  return [{ name: 'Last-Event-ID', in: 'header', description, schema: { type: 'string' } }];
}

function tagParameter(operation: Operation): Json[] {
  if (!hasTag(operation)) return [];
  return [
    {
      name: 'If-None-Match',
      in: 'header',
      description: 'The `ETag` of the answer you have; if that is still the answer, 304 without a body',
      schema: { type: 'string' },
    },
  ];
}
