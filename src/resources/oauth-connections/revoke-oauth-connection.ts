import { notFound } from '../../kernel/errors.ts';
import { empty, operation } from '../../operation/operation.ts';
import { endOauthConnections } from '../../store/oauth-connections.ts';

export const revokeOauthConnection = operation({
  name: 'revoke_oauth_connection',
  summary: 'Disconnect an assistant',
  description:
    'All its tokens stop working, at once in the process that answers and within 2 s in all others. It must be connected anew to come back.',
  method: 'DELETE',
  path: '/api/v1/m/oauth_connections/{id}',
  status: 204,
  access: { permission: 'merchant:write' },
  params: { id: 'OAuth connection' },
  answer: empty,
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params }) {
    const ended = await endOauthConnections(call.db, { id: params.id!, ...call.scope }, call.now);
    if (ended.length === 0) throw notFound('OAuth connection');
    call.afterCommit(() => call.parts.authenticator.forget());
  },
});
