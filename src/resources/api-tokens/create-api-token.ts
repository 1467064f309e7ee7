import { Type } from 'typebox';
import { issueApiKey } from '../../auth/api-key.ts';
import { toIpRange } from '../../auth/ip-ranges.ts';
import { invalid } from '../../kernel/errors.ts';
import { createdApiTokenSchema, permissions, toApiToken } from '../../model/api-token.ts';
import { inputObject, nameInput, oneOf, optional, textInput } from '../../model/fields.ts';
import { json, operation } from '../../operation/operation.ts';
import { findApiKey } from '../../store/api-keys.ts';
import { checkMayGive } from './check-may-give.ts';

const body = inputObject({
  api_token: inputObject({
    name: nameInput('What it is for'),
    token_type: optional(oneOf(['secret', 'publishable'])),
    permissions: optional(Type.Array(oneOf(permissions), { minItems: 1, maxItems: permissions.length })),
    ip_ranges: optional(Type.Array(textInput(64, 'Range such as 203.0.113.0/24'), { minItems: 1, maxItems: 50 })),
    rpm_limit: optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Requests a minute' })),
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
    const { name, token_type, permissions, ip_ranges, rpm_limit } = body.api_token;
    const kind = token_type ?? 'secret';
    if (kind === 'publishable' && permissions) throw invalid('permissions are for secret tokens only');
    const ranges = ip_ranges?.map((range) => toIpRange(range));
    const wrong = ranges?.indexOf(undefined) ?? -1;
    if (wrong !== -1) throw invalid(`ip_ranges[${wrong}] must be an address or a range such as 203.0.113.0/24`);
    if (kind === 'secret') checkMayGive(call, permissions ?? null);
    const issued = await issueApiKey(
      call.db,
      call.scope,
      {
        kind,
        name,
        permissions: permissions ?? null,
        ipRanges: (ranges as string[] | undefined) ?? null,
        rpmLimit: rpm_limit ?? null,
      },
      call.now,
    );
    const row = (await findApiKey(call.db, call.scope, issued.id))!;
    return { ...toApiToken(row), key: issued.key.reveal() };
  },
});
