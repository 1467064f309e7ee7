import { notFound } from '../../kernel/errors.ts';
import { apiTokenUsageSchema, typeOfApiToken } from '../../model/api-token.ts';
import { json, operation } from '../../operation/operation.ts';
import { findApiKey } from '../../store/api-keys.ts';
import { findPlanPerMinute } from '../../store/plans.ts';

export const getApiTokenUsage = operation({
  name: 'get_api_token_usage',
  summary: 'How much an API token is used',
  method: 'GET',
  path: '/api/v1/m/api_tokens/{id}/usage',
  access: { permission: 'merchant:read' },
  params: { id: 'API token' },
  answer: json(apiTokenUsageSchema),
  fails: ['not_found'],
  tool: {
    description: 'See how many requests an API token has made this month and may make a minute.',
    rename: { id: 'api_token_id' },
  },
  async run(call, { params }) {
    const row = await findApiKey(call.db, call.scope, params.id!);
    if (!row || (row.revoked_at && row.revoked_at <= call.now)) throw notFound('API token');
    // What this process has counted and not written yet belongs to the answer.
    const pending = call.parts.usage.pending(row.id);
    const isThisMonth = row.request_month === call.now.toISOString().slice(0, 7);
    const planPerMinute = await findPlanPerMinute(call.db, call.scope.merchantId);
    const lastAt = latest(row.last_request_counted_at, pending?.lastAt);
    return {
      object: 'api_token_usage',
      livemode: row.livemode,
      id: row.id,
      name: row.name,
      token_type: typeOfApiToken(row),
      rpm_limit: Math.min(planPerMinute, row.rpm_limit ?? planPerMinute),
      monthly_request_count: (isThisMonth ? row.monthly_request_count : 0) + (pending?.requests ?? 0),
      last_request_counted_at: lastAt?.toISOString() ?? null,
      last_used_at: latest(row.last_used_at, pending?.lastAt)?.toISOString() ?? null,
      created_at: row.created_at.toISOString(),
    };
  },
});

function latest(a: Date | null, b: Date | undefined): Date | null {
  if (!b) return a;
  return a && a > b ? a : b;
}
