import { importDirectory } from '../../src/resources/directory/import-directory.ts';
import type { TestApp } from './app.ts';
import type { Client } from './client.ts';

/** Adds a channel. @throws unless it is made. */
export async function createChannel(client: Client, channel: Record<string, unknown> = {}) {
  const reply = await client.post('/api/v1/m/channels', { channel: { name: 'Corner Kitchen', ...channel } });
  if (reply.status !== 201) throw new Error(`No channel: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** What `satline directory import` does with a file. */
export function importFile(app: TestApp, file: unknown, { replace = false } = {}) {
  return app.parts.db.transaction((tx) => importDirectory(tx, file, replace, app.clock.now()));
}
