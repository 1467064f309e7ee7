import { notFound } from '../../kernel/errors.ts';
import { empty, operation } from '../../operation/operation.ts';
import { revokeApiKey } from '../../store/api-keys.ts';

export const revokeApiToken = operation({
  name: 'revoke_api_token',
  summary: 'Revoke an API token',
  description: 'It stops working at once in the process that answers, and within 2 s in all others.',
  method: 'DELETE',
  path: '/api/v1/m/api_tokens/{id}',
  status: 204,
  access: { permission: 'merchant:write' },
  params: { id: 'API token' },
  answer: empty,
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params }) {
    if (!(await revokeApiKey(call.db, call.scope, params.id!, call.now))) throw notFound('API token');
    call.afterCommit(() => call.parts.authenticator.forget());
  },
});
