import { text, timestamp } from '../../kernel/filters.ts';
import { oauthConnectionSchema, toOauthConnection } from '../../model/oauth-connection.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listOauthConnections as listRows } from '../../store/oauth-connections.ts';

export const listOauthConnections = operation({
  name: 'list_oauth_connections',
  summary: 'List the assistants that were connected by OAuth, newest first',
  description: 'Those that have ended are listed for 90 more days, with revoked_at.',
  method: 'GET',
  path: '/api/v1/m/oauth_connections',
  access: { permission: 'merchant:read' },
  query: { paged: true, filters: { client_name: text, created_at: timestamp } },
  answer: listOf(oauthConnectionSchema),
  tool: false,
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listRows(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map(toOauthConnection), totalCount } };
  },
});
