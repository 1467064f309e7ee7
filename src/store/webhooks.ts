import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { WebhookRow } from '../model/webhook.ts';

const columns = [
  'id',
  'merchant_id',
  'livemode',
  'url',
  'description',
  'events',
  'active',
  'secret',
  'previous_secret',
  'previous_secret_until',
  'success_count',
  'failure_count',
  'recent_outcomes',
  'last_triggered_at',
  'metadata',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof WebhookRow)[];
const columnList = columns.join(', ');
const inScope = 'id = $1 and merchant_id = $2 and livemode = $3';

const insert = statement(
  'webhooks_insert',
  `insert into webhooks (${columnList}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
);
const find = statement('webhooks_find', `select ${columnList} from webhooks where ${inScope}`);
const lock = statement('webhooks_lock', `select ${columnList} from webhooks where ${inScope} for update`);
const count = statement(
  'webhooks_count',
  'select count(*) as count from webhooks where merchant_id = $1 and livemode = $2',
);
const update = statement(
  'webhooks_update',
  `update webhooks set url = $4, description = $5, events = $6, active = $7, metadata = $8, updated_at = $9
    where ${inScope}`,
);
const setSecrets = statement(
  'webhooks_set_secrets',
  `update webhooks set secret = $4, previous_secret = $5, previous_secret_until = $6, updated_at = $7 where ${inScope}`,
);
const remove = statement('webhooks_delete', `delete from webhooks where ${inScope}`);

export async function insertWebhook(tx: Handle, row: WebhookRow): Promise<void> {
  await tx.run(
    insert,
    columns.map((column) => (column === 'metadata' ? JSON.stringify(row.metadata) : row[column])),
  );
}

export function findWebhook(db: Handle, scope: Scope, id: string): Promise<WebhookRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

export function lockWebhook(tx: Handle, scope: Scope, id: string): Promise<WebhookRow | undefined> {
  return tx.maybeOne(lock, [id, scope.merchantId, scope.livemode]);
}

export async function countWebhooks(db: Handle, scope: Scope): Promise<number> {
  return (await db.maybeOne<{ count: number }>(count, [scope.merchantId, scope.livemode]))!.count;
}

/** Writes what a merchant can change. */
export async function saveWebhook(tx: Handle, scope: Scope, row: WebhookRow): Promise<void> {
  const { id, url, description, events, active, metadata, updated_at } = row;
  await tx.run(update, [
    id,
    scope.merchantId,
    scope.livemode,
    url,
    description,
    events,
    active,
    JSON.stringify(metadata),
    updated_at,
  ]);
}

type WebhookSecrets = Pick<WebhookRow, 'secret' | 'previous_secret' | 'previous_secret_until'>;

export async function setWebhookSecrets(
  tx: Handle,
  scope: Scope,
  id: string,
  secrets: WebhookSecrets,
  now: Date,
): Promise<void> {
  const { secret, previous_secret, previous_secret_until } = secrets;
  await tx.run(setSecrets, [id, scope.merchantId, scope.livemode, secret, previous_secret, previous_secret_until, now]);
}

/** @returns false when there was no such webhook. What is still queued for it is never sent and swept later. */
export async function deleteWebhook(tx: Handle, scope: Scope, id: string): Promise<boolean> {
  return (await tx.run(remove, [id, scope.merchantId, scope.livemode])) === 1;
}

/** Newest first. */
export function listWebhooks(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<WebhookRow>> {
  return listPage<WebhookRow>(
    db,
    {
      select: `select ${columnList} from webhooks`,
      countFrom: 'from webhooks',
      where: 'merchant_id = $1 and livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: { active: 'active', url: 'url', created_at: 'created_at', merchant_id: 'merchant_id' },
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}
