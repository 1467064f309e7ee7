import { type Handle, statement } from '../db/database.ts';
import { gatheredRead, type Placed } from '../db/gathered-read.ts';
import { jsonColumns, jsonRow, jsonRows, readMoments } from '../db/json-rows.ts';
import type { Scope } from '../kernel/context.ts';
import { type ChannelRow, channelColumns } from '../model/channel.ts';
import type { MerchantRow } from '../model/merchant.ts';
import { scopeText } from '../model/scope.ts';
import type { ShownTax } from '../model/tax.ts';
import { type ShownWallet, shownOfWallet } from '../model/wallet.ts';
import { merchantColumns } from './merchants.ts';
import { shownOfTax } from './taxes.ts';
import { selectWallets } from './wallets.ts';

/** A merchant with what shows beside it. */
export interface MerchantViewRow {
  readonly merchant: MerchantRow;
  /** Those of the mode, first in line first. */
  readonly wallets: readonly ShownWallet[];
  readonly taxes: readonly ShownTax[];
  /** Newest first. */
  readonly channels: readonly ChannelRow[];
}

const find = statement(
  'merchant_views_find',
  `select k.place::integer, json_build_object(
     'merchant', ${jsonRow(`select ${jsonColumns('m', merchantColumns)} from merchants m where m.id = k.id`)},
     'wallets', ${jsonRows(`select ${jsonColumns('w', shownOfWallet)} from (${selectWallets}) w
                            where w.merchant_id = k.id and w.livemode = k.livemode and w.deleted_at is null
                            order by w.position, w.id`)},
     'taxes', ${jsonRows(`select ${jsonColumns('t', shownOfTax)} from taxes t
                          where t.merchant_id = k.id and t.livemode = k.livemode order by t.created_at, t.id`)},
     'channels', ${jsonRows(`select ${jsonColumns('c', channelColumns)} from channels c
                             where c.merchant_id = k.id and c.livemode = k.livemode order by c.created_at desc, c.id desc`)}
   ) as found
   from unnest((select $1::uuid[]), (select $2::boolean[])) with ordinality as k(id, livemode, place)`,
  { isGathered: true },
);

/** Merchants as they show in one mode each, which all exist. */
export async function listMerchantViews(db: Handle, scopes: readonly Scope[]): Promise<Placed<MerchantViewRow>[]> {
  const rows = await db.many<Placed<MerchantViewRow>>(find, [
    scopes.map(({ merchantId }) => merchantId),
    scopes.map(({ livemode }) => livemode),
  ]);
  for (const { found } of rows) {
    for (const row of [found.merchant, ...found.wallets, ...found.taxes, ...found.channels]) readMoments(row);
  }
  return rows;
}

/** The caller's merchant, which exists. Shared by all who ask at once: nobody changes it. */
export const findMerchantView = gatheredRead(scopeText, listMerchantViews);
