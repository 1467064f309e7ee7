import { Type } from 'typebox';
import { issueApiKey } from '../../auth/api-key.ts';
import { invalid } from '../../kernel/errors.ts';
import { createdApiTokenSchema, permissions, toApiToken } from '../../model/api-token.ts';
import { inputObject, nameInput, oneOf, optional } from '../../model/fields.ts';
import { json, operation } from '../../operation/operation.ts';
import { findApiKey } from '../../store/api-keys.ts';
import { checkMayGive } from './check-may-give.ts';
import { ipRangesInput, readIpRanges, readTokenLimits, rpmLimitInput, tokenLimitMembers } from './token-input.ts';

const body = inputObject({
  api_token: inputObject({
    name: nameInput('What it is for'),
    token_type: optional(oneOf(['secret', 'publishable'])),
    permissions: optional(Type.Array(oneOf(permissions), { minItems: 1, maxItems: permissions.length })),
    ip_ranges: ipRangesInput,
    rpm_limit: rpmLimitInput,
    ...tokenLimitMembers,
  }),
});

export const createApiToken = operation({
  name: 'create_api_token',
  summary: 'Make an API token in this mode; its key is shown once',
  description: 'A token can give no more than the token that makes it.',
  method: 'POST',
  path: '/api/v1/m/api_tokens',
  status: 201,
  access: { permission: 'merchant:write' },
  body,
  answer: json(createdApiTokenSchema),
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { body }) {
    const { name, token_type, permissions, ip_ranges, rpm_limit, ...asked } = body.api_token;
    const kind = token_type ?? 'secret';
    if (kind === 'publishable' && permissions) throw invalid('permissions are for secret tokens only');
    const limits = readTokenLimits(kind, asked);
    const ipRanges = readIpRanges(ip_ranges);
    const given = { kind, permissions: permissions ?? null, ip_ranges: ipRanges, rpm_limit: rpm_limit ?? null };
    checkMayGive(call, given);
    const issued = await issueApiKey(
      call.db,
      call.scope,
      {
        kind,
        name,
        permissions: permissions ?? null,
        ipRanges,
        rpmLimit: rpm_limit ?? null,
        limits,
      },
      call.now,
    );
    const row = (await findApiKey(call.db, call.scope, issued.id))!;
    return { ...toApiToken(row), key: issued.key.reveal() };
  },
});
