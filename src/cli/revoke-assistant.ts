import type { Command } from 'commander';
import { endConnectionAsOperator } from '../flows/end-oauth-connection.ts';
import { toOauthConnection } from '../model/oauth-connection.ts';
import { findOauthConnectionForOperator } from '../store/oauth-connections.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { readId } from './option-values.ts';

export function addRevokeAssistant(group: Command): void {
  addCommand(group, 'revoke', 'Disconnect an assistant; its tokens stop working', 'assistant revoke ID')
    .argument('<id>', 'of the connection, as "satline assistant list" shows it', readId)
    .action(
      withParts(async ({ parts }, _options, id) => {
        const ended = await endConnectionAsOperator(parts, id);
        const row = await findOauthConnectionForOperator(parts.db, id);
        if (!row) throw new CliFailure(`No connection has the id ${id}. "satline assistant list" shows them.`);
        const name = row.client_name || 'The assistant';
        const text = ended
          ? `${name} is disconnected. Running servers refuse it within 2 seconds.`
          : `${name} was disconnected before, on ${row.revoked_at!.toISOString()}.`;
        return { json: toOauthConnection(row), text };
      }),
    );
}
