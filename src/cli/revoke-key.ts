import type { Command } from 'commander';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import { scopeOf } from '../model/scope.ts';
import { findApiKeyForOperator, revokeApiKey } from '../store/api-keys.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { keyHint, keyJson } from './key-json.ts';
import { readId } from './option-values.ts';

export function addRevokeKey(group: Command): void {
  addCommand(group, 'revoke', 'Revoke an API key for good', 'key revoke ID')
    .argument('<id>', 'of the key, as "satline key list" shows it', readId)
    .action(
      withParts(async ({ parts }, _options, id) => {
        const before = await findApiKeyForOperator(parts.db, id);
        if (!before) throw new CliFailure(`No API key has the id ${id}. "satline key list" shows them.`);
        const scope = scopeOf(before);
        // A rolled key that still overlaps with its successor stops now instead.
        const now = parts.clock.now();
        const revoked = await parts.db.transaction(async (tx) => {
          if (!(await revokeApiKey(tx, scope, id, now))) return false;
          await recordOperatorAudit(tx, { ...scope, action: 'revoke_api_token', subjectId: id, now });
          return true;
        });
        const row = (await findApiKeyForOperator(parts.db, id))!;
        const text = revoked
          ? `${keyHint(row)} is revoked. Running servers refuse it within 2 seconds.`
          : `${keyHint(row)} was revoked before, on ${row.revoked_at!.toISOString()}.`;
        return { json: keyJson(row), text };
      }),
    );
}
