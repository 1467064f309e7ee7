import { notFound } from '../../kernel/errors.ts';
import { apiTokenSchema, toApiToken } from '../../model/api-token.ts';
import { inputObject, nameInput, optional } from '../../model/fields.ts';
import { json, operation } from '../../operation/operation.ts';
import { type ApiKeySettings, findApiKey, lockApiKey, saveApiKey } from '../../store/api-keys.ts';
import { checkMayGive } from './check-may-give.ts';
import { ipRangesInput, readIpRanges, readTokenLimits, rpmLimitInput, tokenLimitMembers } from './token-input.ts';

const body = inputObject({
  api_token: inputObject({
    name: optional(nameInput('What it is for')),
    ip_ranges: ipRangesInput,
    rpm_limit: rpmLimitInput,
    ...tokenLimitMembers,
  }),
});

export const updateApiToken = operation({
  name: 'update_api_token',
  summary: 'Change the name and the limits of an API token',
  description:
    'What is left out stays as it is; null lifts a limit. It counts at once in the process that answers, and within 2 s ' +
    'in all others. Type and permissions never change: make another token.',
  method: 'PATCH',
  path: '/api/v1/m/api_tokens/{id}',
  access: { permission: 'merchant:write' },
  params: { id: 'API token' },
  body,
  answer: json(apiTokenSchema),
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params, body }) {
    const before = await lockApiKey(call.db, call.scope, params.id!);
    if (!before || (before.revoked_at && before.revoked_at <= call.now)) throw notFound('API token');
    const { name, ip_ranges, rpm_limit, ...limits } = body.api_token;
    const settings: ApiKeySettings = {
      ...readTokenLimits(before.kind, limits, before),
      name: name ?? before.name,
      ip_ranges: ip_ranges === undefined ? before.ip_ranges : readIpRanges(ip_ranges),
      rpm_limit: rpm_limit === undefined ? before.rpm_limit : rpm_limit,
    };
    checkMayGive(call, { ...before, ...settings });
    await saveApiKey(call.db, call.scope, before.id, settings);
    call.afterCommit(() => call.parts.authenticator.forget());
    return toApiToken((await findApiKey(call.db, call.scope, before.id))!);
  },
});
