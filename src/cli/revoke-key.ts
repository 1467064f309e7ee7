import type { Command } from 'commander';
import { findApiKeyForOperator, revokeApiKeyForOperator } from '../store/api-keys.ts';
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
        await revokeApiKeyForOperator(parts.db, before.id, parts.clock.now());
        const row = (await findApiKeyForOperator(parts.db, before.id))!;
        const text = before.revoked_at
          ? `${keyHint(row)} was revoked before, on ${before.revoked_at.toISOString()}.`
          : `${keyHint(row)} is revoked. Running servers refuse it within 2 seconds.`;
        return { json: keyJson(row), text };
      }),
    );
}
