import { isDeepStrictEqual } from 'node:util';
import type { Handle } from '../../db/database.ts';
import { parseCurrency } from '../../kernel/currency.ts';
import { invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type ChannelRow, countryName, toLanguageTag } from '../../model/channel.ts';
import type { ExchangeRow } from '../../model/exchange.ts';
import { deleteOtherOperatorChannels, findLiveChannels, saveChannel } from '../../store/channels.ts';
import {
  deleteOtherExchanges,
  listCountries,
  listExchanges,
  saveCountry,
  saveExchange,
} from '../../store/exchanges.ts';
import { type FileChannel, type FileExchange, readDirectoryFile } from './directory-file.ts';

interface DirectoryImport {
  countries: number;
  exchanges: number;
  channels: number;
  /** How many of them are new or differ from what was there. */
  changed: number;
  removed: number;
}

/**
 * Takes an operator's directory file. Exchanges are known by their names and channels by their slugs, so a file that is
 * read twice changes nothing the second time. Channels of merchants are theirs and stay as they are.
 * @param replace also removes what the file does not name, in the lists that it has.
 * @throws {AppError} 422 with a sentence for each fault; nothing is changed then, given that `tx` is rolled back.
 */
export async function importDirectory(
  tx: Handle,
  file: unknown,
  replace: boolean,
  now: Date,
): Promise<DirectoryImport> {
  const known = await listCountries(tx);
  const { countries, exchanges, channels } = readDirectoryFile(file, known.keys());

  let changed = 0;
  for (const { iso_code, currency_code, name } of countries ?? []) {
    const code = iso_code.toUpperCase();
    const before = known.get(code);
    const row = {
      iso_code: code,
      id: before?.id ?? newId(),
      name: name ?? countryName(code)!,
      currency_code: parseCurrency(currency_code)!,
    };
    if (before && isDeepStrictEqual({ ...before }, row)) continue;
    await saveCountry(tx, row);
    changed++;
  }
  const exchangeOutcome = exchanges ? await takeExchanges(tx, exchanges, replace, now) : nothing;
  const channelOutcome = channels ? await takeChannels(tx, channels, replace, now) : nothing;
  return {
    countries: countries?.length ?? 0,
    exchanges: exchanges?.length ?? 0,
    channels: channels?.length ?? 0,
    changed: changed + exchangeOutcome.changed + channelOutcome.changed,
    removed: exchangeOutcome.removed + channelOutcome.removed,
  };
}

const nothing = { changed: 0, removed: 0 };

async function takeExchanges(tx: Handle, exchanges: FileExchange[], replace: boolean, now: Date) {
  const known = new Map((await listExchanges(tx)).map((row) => [row.name.toLowerCase(), row]));
  const ids: string[] = [];
  let changed = 0;
  for (const exchange of exchanges) {
    const before = known.get(exchange.name.toLowerCase());
    const row: ExchangeRow = {
      id: before?.id ?? newId(),
      name: exchange.name,
      url: exchange.url,
      promoted: exchange.promoted ?? false,
      min_transaction_sats: exchange.min_transaction_sats ?? null,
      pays_lightning_invoices: exchange.pays_lightning_invoices ?? false,
      lightning_deposits: exchange.lightning_deposits ?? false,
      payout_countries: (exchange.payout_countries ?? []).map((code) => code.toUpperCase()),
      peer_to_peer: exchange.peer_to_peer ?? false,
      available_worldwide: exchange.available_worldwide ?? false,
      source_url: exchange.source_url,
      checked_on: exchange.checked_on,
      notes: exchange.notes ?? null,
      notes_es: exchange.notes_es ?? null,
      logo_url: exchange.logo_url ?? null,
      country_codes: (exchange.countries ?? []).map((code) => code.toUpperCase()),
      created_at: before?.created_at ?? now,
      updated_at: before?.updated_at ?? now,
    };
    ids.push(row.id);
    if (before && isDeepStrictEqual({ ...before }, row)) continue;
    await saveExchange(tx, { ...row, updated_at: now });
    changed++;
  }
  return { changed, removed: replace ? await deleteOtherExchanges(tx, ids) : 0 };
}

async function takeChannels(tx: Handle, channels: FileChannel[], replace: boolean, now: Date) {
  const slugs = channels.map(({ slug }) => slug);
  const known = await findLiveChannels(tx, slugs);
  const foreign = slugs.filter((slug) => known.get(slug)?.merchant_id);
  if (foreign.length > 0) throw invalid(`channels names ${foreign.join(', ')}, which a merchant keeps`);
  let changed = 0;
  for (const channel of channels) {
    const before = known.get(channel.slug);
    const row: ChannelRow = {
      id: before?.id ?? newId(),
      merchant_id: null,
      livemode: true,
      slug: channel.slug,
      name: channel.name,
      bio: channel.bio ?? null,
      videos_count: channel.videos_count ?? 0,
      nsfw: channel.nsfw ?? false,
      theme: channel.theme ?? null,
      category: channel.category?.trim().toLowerCase() || null,
      profile_image_url: channel.profile_image_url ?? null,
      social_links: channel.social_links ?? {},
      merchant_name: channel.merchant_name ?? null,
      country: channel.country?.toUpperCase() ?? null,
      language: (channel.language && toLanguageTag(channel.language)) || null,
      currency: (channel.currency && parseCurrency(channel.currency)) || null,
      created_at: before?.created_at ?? now,
      updated_at: before?.updated_at ?? now,
    };
    if (before && isDeepStrictEqual({ ...before }, row)) continue;
    await saveChannel(tx, { ...row, updated_at: now }, row.merchant_name);
    changed++;
  }
  return { changed, removed: replace ? await deleteOtherOperatorChannels(tx, slugs) : 0 };
}
