import { text, timestamp, word } from '../../kernel/filters.ts';
import { apiTokenSchema, apiTokenTypes, toApiToken } from '../../model/api-token.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listApiKeys } from '../../store/api-keys.ts';

export const listApiTokens = operation({
  name: 'list_api_tokens',
  summary: 'List API tokens of this mode, newest first',
  method: 'GET',
  path: '/api/v1/m/api_tokens',
  access: { permission: 'merchant:read' },
  query: { paged: true, filters: { token_type: word(...apiTokenTypes), name: text, created_at: timestamp } },
  answer: listOf(apiTokenSchema),
  tool: false,
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listApiKeys(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map(toApiToken), totalCount } };
  },
});
