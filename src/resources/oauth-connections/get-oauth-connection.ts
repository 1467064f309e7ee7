import { notFound } from '../../kernel/errors.ts';
import { oauthConnectionSchema, toOauthConnection } from '../../model/oauth-connection.ts';
import { json, operation } from '../../operation/operation.ts';
import { findOauthConnection } from '../../store/oauth-connections.ts';

export const getOauthConnection = operation({
  name: 'get_oauth_connection',
  summary: 'Read one connected assistant',
  method: 'GET',
  path: '/api/v1/m/oauth_connections/{id}',
  access: { permission: 'merchant:read' },
  params: { id: 'OAuth connection' },
  answer: json(oauthConnectionSchema),
  fails: ['not_found'],
  tool: false,
  async run(call, { params }) {
    const row = await findOauthConnection(call.db, call.scope, params.id!);
    if (!row) throw notFound('OAuth connection');
    return toOauthConnection(row);
  },
});
