import { Type } from 'typebox';
import { issueApiKey } from '../../auth/api-key.ts';
import { addSeconds } from '../../kernel/clock.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import { createdApiTokenSchema, toApiToken } from '../../model/api-token.ts';
import { inputObject, optional } from '../../model/fields.ts';
import { json, operation } from '../../operation/operation.ts';
import { findApiKey, revokeApiKey } from '../../store/api-keys.ts';
import { checkMayGive } from './check-may-give.ts';

const longestOverlapSeconds = 7 * 24 * 3600;

const body = inputObject({
  overlap_seconds: optional(
    Type.Integer({ minimum: 0, maximum: longestOverlapSeconds, description: 'How long the old key still works' }),
  ),
});

export const rollApiToken = operation({
  name: 'roll_api_token',
  summary: 'Replace an API token by a new one with the same rights',
  description: 'The old key works on for `overlap_seconds` (0 unless given), so that nothing stops meanwhile.',
  method: 'POST',
  path: '/api/v1/m/api_tokens/{id}/roll',
  status: 201,
  access: { permission: 'merchant:write' },
  params: { id: 'API token' },
  body,
  answer: json(createdApiTokenSchema),
  fails: ['not_found', 'conflict'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params, body }) {
    const old = await findApiKey(call.db, call.scope, params.id!);
    if (!old) throw notFound('API token');
    // Its successor would outlive the sign-in and the place at the merchant that it came from.
    if (old.device_name !== null) {
      throw new AppError('conflict', 'The token of a device is replaced by signing in on the device again');
    }
    checkMayGive(call, old);
    const stopsAt = addSeconds(call.now, body.overlap_seconds ?? 0);
    if (!(await revokeApiKey(call.db, call.scope, old.id, stopsAt))) throw notFound('API token');
    const issued = await issueApiKey(
      call.db,
      call.scope,
      {
        kind: old.kind,
        name: old.name,
        permissions: old.permissions,
        ipRanges: old.ip_ranges,
        rpmLimit: old.rpm_limit,
        limits: old,
      },
      call.now,
    );
    call.afterCommit(() => call.parts.authenticator.forget());
    const row = (await findApiKey(call.db, call.scope, issued.id))!;
    return { ...toApiToken(row), key: issued.key.reveal() };
  },
});
