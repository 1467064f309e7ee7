import { removal } from '../../operation/removal.ts';
import { revokeApiKey } from '../../store/api-keys.ts';

export const revokeApiToken = removal({
  name: 'revoke_api_token',
  summary: 'Revoke an API token',
  description: 'It stops working at once in the process that answers, and within 2 s in all others.',
  path: '/api/v1/m/api_tokens/{id}',
  resource: 'API token',
  permission: 'merchant:write',
  audit: true,
  remove({ db, scope, now, parts, afterCommit }, id) {
    afterCommit(() => parts.authenticator.forget());
    return revokeApiKey(db, scope, id, now);
  },
});
