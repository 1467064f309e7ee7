import { dynamicStatement, type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import { type Page, type PageRequest, pageOffset } from '../kernel/page.ts';
import { type ChannelRow, channelColumns } from '../model/channel.ts';
import { searchWords } from '../model/channel-search.ts';

// A merchant's channel shows the merchant's name as it is today.
const shown = channelColumns
  .map((column) =>
    column === 'merchant_name'
      ? 'coalesce((select m.name from merchants m where m.id = channels.merchant_id), merchant_name) as merchant_name'
      : column,
  )
  .join(', ');
const inScope = 'id = $1 and merchant_id = $2 and livemode = $3';
const stored = [...channelColumns, 'search'];
const placeholders = stored
  .map((column, index) => (column === 'search' ? `array_to_tsvector($${index + 1}::text[])` : `$${index + 1}`))
  .join(', ');
const kept = stored.filter((column) => !['id', 'merchant_id', 'livemode', 'created_at'].includes(column));
const assignments = kept.map((column) => `${column} = excluded.${column}`).join(', ');

const insert = statement(
  'channels_insert',
  `insert into channels (${stored.join(', ')}) values (${placeholders}) on conflict do nothing`,
);
const save = statement(
  'channels_save',
  `insert into channels (${stored.join(', ')}) values (${placeholders}) on conflict (id) do update set ${assignments}`,
);
const find = statement('channels_find', `select ${shown} from channels where ${inScope}`);
const lock = statement('channels_lock', `select from channels where ${inScope} for no key update`);
const remove = statement('channels_delete', `delete from channels where ${inScope}`);
const isTaken = statement(
  'channels_slug_taken',
  `select exists (
     select from channels where slug = $1 and livemode = $2 and id <> $3 and (livemode or merchant_id = $4)
   ) as taken`,
);
const findLive = statement(
  'channels_find_live',
  `select ${shown} from channels where slug = any($1::text[]) and livemode`,
);
const lockOfMerchant = statement(
  'channels_lock_of_merchant',
  `select ${channelColumns.join(', ')} from channels where merchant_id = $1 order by id for no key update`,
);
const removeOthers = statement(
  'channels_delete_others_of_operator',
  'delete from channels where merchant_id is null and slug <> all($1::text[])',
);
// Merchants who are not active have nothing in the public directory.
const isListed = `(merchant_id is null or merchant_id not in (select id from merchants where status <> 'active'))`;
// Jumps from one category to the next along the index, however many channels each has.
const listCategories = statement(
  'channels_list_categories',
  `with recursive found as (
     (select category from channels where livemode and category is not null order by category limit 1)
     union all
     select (select c.category from channels c where c.livemode and c.category > found.category order by c.category limit 1)
       from found where found.category is not null
   )
   select category from found
    where exists (select from channels where livemode and channels.category = found.category and ${isListed})
    order by category`,
);

function toParameters(row: ChannelRow, merchantName: string | null): unknown[] {
  const words = searchWords({ ...row, merchantName });
  return [
    ...channelColumns.map((column) => (column === 'social_links' ? JSON.stringify(row.social_links) : row[column])),
    words,
  ];
}

/**
 * @param merchantName what the channel is found by beside its own texts.
 * @returns false when the slug is taken.
 */
export async function insertChannel(tx: Handle, row: ChannelRow, merchantName: string | null): Promise<boolean> {
  return (await tx.run(insert, toParameters(row, merchantName))) === 1;
}

/** Adds the channel, or writes over the one with its id. A slug that is taken violates `channels_live_slug`. */
export async function saveChannel(tx: Handle, row: ChannelRow, merchantName: string | null): Promise<void> {
  await tx.run(save, toParameters(row, merchantName));
}

export function findChannel(db: Handle, scope: Scope, id: string): Promise<ChannelRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

/** The channel as it stands until this transaction ends. */
export async function lockChannel(tx: Handle, scope: Scope, id: string): Promise<ChannelRow | undefined> {
  const key = [id, scope.merchantId, scope.livemode];
  // Read after the lock: a statement that had to wait sees the merchant's name as it was before it.
  return (await tx.maybeOne(lock, key)) === undefined ? undefined : tx.maybeOne(find, key);
}

/** @returns false when there was no such channel. */
export async function deleteChannel(tx: Handle, scope: Scope, id: string): Promise<boolean> {
  return (await tx.run(remove, [id, scope.merchantId, scope.livemode])) === 1;
}

/** Whether another channel than `id` has the slug: of anybody's among live channels, of the merchant's in test mode. */
export async function isChannelSlugTaken(tx: Handle, scope: Scope, slug: string, id: string): Promise<boolean> {
  const row = await tx.maybeOne<{ taken: boolean }>(isTaken, [slug, scope.livemode, id, scope.merchantId]);
  return row!.taken;
}

/** A merchant's channels of one mode, newest first. */
export function listChannels(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<ChannelRow>> {
  return listPage<ChannelRow>(
    db,
    {
      select: `select ${shown} from channels`,
      countFrom: 'from channels',
      where: 'merchant_id = $1 and livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: { name: 'name', slug: 'slug', category: 'category', nsfw: 'nsfw', created_at: 'created_at' },
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}

/** After a merchant changed its name: its channels, of both modes, are found by the new one. */
export async function renameChannelsMerchant(tx: Handle, merchantId: string, name: string): Promise<void> {
  for (const row of await tx.many<ChannelRow>(lockOfMerchant, [merchantId])) await saveChannel(tx, row, name);
}

/** Live channels of anybody's, by slug. For operators. */
export async function findLiveChannels(db: Handle, slugs: readonly string[]): Promise<Map<string, ChannelRow>> {
  const rows = await db.many<ChannelRow>(findLive, [slugs]);
  return new Map(rows.map((row) => [row.slug, row]));
}

/** Removes the operator's channels that are not among these. @returns how many. */
export function deleteOtherOperatorChannels(tx: Handle, slugs: readonly string[]): Promise<number> {
  return tx.run(removeOthers, [slugs]);
}

/** Of the channels that a search can find. */
export async function listChannelCategories(db: Handle): Promise<string[]> {
  return (await db.many<{ category: string }>(listCategories)).map(({ category }) => category);
}

interface DirectorySearch {
  /** A tsquery (model/channel-search.ts). */
  query: string | undefined;
  category: string | undefined;
  /** undefined: both kinds. */
  nsfw: boolean | undefined;
}

/** Live channels of merchants that are active, and the operator's, newest first. */
export async function searchChannels(
  db: Handle,
  { query, category, nsfw }: DirectorySearch,
  page: PageRequest,
): Promise<Page<ChannelRow>> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const conditions = [
    'livemode',
    isListed,
    ...(query === undefined ? [] : [`search @@ ${bind(query)}::tsquery`]),
    ...(category === undefined ? [] : [`category = ${bind(category)}`]),
    ...(nsfw === undefined ? [] : [`nsfw = ${bind(nsfw)}`]),
  ].join(' and ');
  return query === undefined ? listAll(db, conditions, values, page) : listFound(db, conditions, values, page);
}

const paging = (page: PageRequest) =>
  `order by created_at desc, id desc limit ${page.perPage} offset ${pageOffset(page)}`;

/** The page comes along the index of dates, and counting needs no rows: two statements side by side. */
async function listAll(
  db: Handle,
  conditions: string,
  values: unknown[],
  page: PageRequest,
): Promise<Page<ChannelRow>> {
  const [rows, count] = await Promise.all([
    db.many<ChannelRow>(dynamicStatement(`select ${shown} from channels where ${conditions} ${paging(page)}`), values),
    db.maybeOne<{ count: number }>(
      dynamicStatement(`select count(*) as count from channels where ${conditions}`),
      values,
    ),
  ]);
  return { rows, totalCount: count!.count };
}

/**
 * What a search finds is read once, for the page and the count. Left to itself the planner would walk the index of dates
 * until a page is full, and with a rare word that is nearly all of it.
 */
async function listFound(
  db: Handle,
  conditions: string,
  values: unknown[],
  page: PageRequest,
): Promise<Page<ChannelRow>> {
  const text = `
    with hits as materialized (select id, created_at from channels where ${conditions})
    select total_count, ${shown}
      from (select count(*) as total_count from hits) counted
      left join (select id as hit_id from hits ${paging(page)}) found on true
      left join channels on channels.id = hit_id
     order by created_at desc, id desc`;
  const rows = await db.many<ChannelRow & { total_count: number }>(dynamicStatement(text), values);
  return { rows: rows.filter((row) => row.id !== null), totalCount: rows[0]!.total_count };
}
