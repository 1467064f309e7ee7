import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import type { Handle } from '../../db/database.ts';
import { parseCurrency } from '../../kernel/currency.ts';
import { invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { parseTimestamp } from '../../kernel/timestamp.ts';
import { isWebAddress } from '../../kernel/web-address.ts';
import { type ChannelRow, countryName } from '../../model/channel.ts';
import type { ExchangeRow } from '../../model/exchange.ts';
import { currencyInput, inputObject, nameInput, optional, textInput } from '../../model/fields.ts';
import { readBody } from '../../operation/body.ts';
import { deleteOtherOperatorChannels, findLiveChannels, saveChannel } from '../../store/channels.ts';
import {
  deleteOtherExchanges,
  listCountries,
  listExchanges,
  saveCountry,
  saveExchange,
} from '../../store/exchanges.ts';

const address = (description: string) => textInput(2048, description);
const flag = optional(Type.Boolean());
const codes = optional(Type.Array(textInput(2, 'ISO 3166-1 code'), { maxItems: 300 }));

const fileSchema = inputObject({
  countries: optional(
    Type.Array(
      inputObject({
        iso_code: textInput(2, 'ISO 3166-1 code'),
        currency_code: currencyInput,
        name: optional(nameInput('English unless it stands here')),
      }),
    ),
  ),
  exchanges: optional(
    Type.Array(
      inputObject({
        name: nameInput('What it is known by; the same name is the same exchange'),
        url: address('Where it is'),
        source_url: address('Where this was read'),
        checked_on: textInput(10, 'YYYY-MM-DD'),
        promoted: flag,
        min_transaction_sats: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
        pays_lightning_invoices: flag,
        lightning_deposits: flag,
        payout_countries: codes,
        peer_to_peer: flag,
        available_worldwide: flag,
        notes: optional(textInput(2000, 'In English')),
        notes_es: optional(textInput(2000, 'In Spanish')),
        logo_url: optional(address('Its sign')),
        countries: codes,
      }),
    ),
  ),
  channels: optional(
    Type.Array(
      inputObject({
        slug: textInput(60, 'What it is known by; the same slug is the same channel'),
        name: nameInput('As the directory shows it'),
        bio: optional(textInput(2000, 'A few sentences')),
        videos_count: optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
        nsfw: flag,
        theme: optional(textInput(50, 'A word')),
        category: optional(textInput(50, 'Kept in lower case')),
        profile_image_url: optional(address('An image')),
        social_links: optional(Type.Record(Type.String(), address('A link'))),
        merchant_name: optional(nameInput('Who is behind it')),
        country: optional(textInput(2, 'ISO 3166-1 code')),
        language: optional(textInput(35, 'BCP 47 tag')),
        currency: optional(currencyInput),
      }),
    ),
  ),
});

export interface DirectoryImport {
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
  const { countries, exchanges, channels } = readBody(fileSchema, file, 'validation_error') as DirectoryFile;
  const known = await listCountries(tx);
  const faults = [
    ...(countries ?? []).flatMap((country, index) => countryFaults(country, `countries[${index}]`)),
    ...(exchanges ?? []).flatMap((exchange, index) => exchangeFaults(exchange, `exchanges[${index}]`)),
    ...(channels ?? []).flatMap((channel, index) => channelFaults(channel, `channels[${index}]`)),
    ...repeated(exchanges ?? [], ({ name }) => name.toLowerCase(), 'exchanges'),
    ...repeated(channels ?? [], ({ slug }) => slug, 'channels'),
  ];
  const named = new Set([...known.keys(), ...(countries ?? []).map(({ iso_code }) => iso_code.toUpperCase())]);
  for (const [index, exchange] of (exchanges ?? []).entries()) {
    const missing = (exchange.countries ?? []).filter((code) => !named.has(code.toUpperCase()));
    if (missing.length > 0) faults.push(`exchanges[${index}].countries names ${missing} which countries does not have`);
  }
  if (faults.length > 0) throw invalid(...faults.slice(0, 50));

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
      language: channel.language ? (Intl.getCanonicalLocales(channel.language)[0] ?? null) : null,
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

function countryFaults({ iso_code }: FileCountry, place: string): string[] {
  return isCountry(iso_code) ? [] : [`${place}.iso_code must be an ISO 3166-1 code of two letters`];
}

function exchangeFaults(exchange: FileExchange, place: string): string[] {
  const faults = (['url', 'source_url', 'logo_url'] as const)
    .filter((member) => exchange[member] != null && !isWebAddress(exchange[member]))
    .map((member) => `${place}.${member} must be an http(s) address`);
  if (!/^\d{4}-\d\d-\d\d$/.test(exchange.checked_on) || !parseTimestamp(exchange.checked_on)) {
    faults.push(`${place}.checked_on must be a date such as 2026-11-28`);
  }
  for (const member of ['payout_countries', 'countries'] as const) {
    if (!(exchange[member] ?? []).every(isCountry)) faults.push(`${place}.${member} must hold ISO 3166-1 codes`);
  }
  return faults;
}

function channelFaults(channel: FileChannel, place: string): string[] {
  const faults: string[] = [];
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(channel.slug) || channel.slug.length < 3) {
    faults.push(`${place}.slug must have 3 to 60 lower-case letters, digits and single hyphens`);
  }
  if (channel.profile_image_url != null && !isWebAddress(channel.profile_image_url)) {
    faults.push(`${place}.profile_image_url must be an http(s) address`);
  }
  for (const [name, link] of Object.entries(channel.social_links ?? {})) {
    if (!isWebAddress(link)) faults.push(`${place}.social_links.${name} must be an http(s) address`);
  }
  if (channel.country != null && !isCountry(channel.country)) {
    faults.push(`${place}.country must be an ISO 3166-1 code of two letters`);
  }
  try {
    if (channel.language != null) Intl.getCanonicalLocales(channel.language);
  } catch {
    faults.push(`${place}.language must be a BCP 47 tag, such as en or pt-BR`);
  }
  return faults;
}

const isCountry = (code: string) => countryName(code.toUpperCase()) !== undefined;

function repeated<Item>(items: readonly Item[], keyOf: (item: Item) => string, list: string): string[] {
  const keys = items.map(keyOf);
  return [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))].map(
    (key) => `${list} has ${key} more than once`,
  );
}

interface FileCountry {
  iso_code: string;
  currency_code: string;
  name?: string | null;
}

interface FileExchange {
  name: string;
  url: string;
  source_url: string;
  checked_on: string;
  promoted?: boolean | null;
  min_transaction_sats?: number | null;
  pays_lightning_invoices?: boolean | null;
  lightning_deposits?: boolean | null;
  payout_countries?: string[] | null;
  peer_to_peer?: boolean | null;
  available_worldwide?: boolean | null;
  notes?: string | null;
  notes_es?: string | null;
  logo_url?: string | null;
  countries?: string[] | null;
}

interface FileChannel {
  slug: string;
  name: string;
  bio?: string | null;
  videos_count?: number | null;
  nsfw?: boolean | null;
  theme?: string | null;
  category?: string | null;
  profile_image_url?: string | null;
  social_links?: Record<string, string> | null;
  merchant_name?: string | null;
  country?: string | null;
  language?: string | null;
  currency?: string | null;
}

interface DirectoryFile {
  countries?: FileCountry[] | null;
  exchanges?: FileExchange[] | null;
  channels?: FileChannel[] | null;
}
