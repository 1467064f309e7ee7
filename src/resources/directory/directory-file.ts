import { type Static, Type } from 'typebox';
import { invalid } from '../../kernel/errors.ts';
import { parseTimestamp } from '../../kernel/timestamp.ts';
import { isWebAddress } from '../../kernel/web-address.ts';
import { channelFaults, countryName } from '../../model/channel.ts';
import { currencyInput, inputObject, nameInput, optional, textInput } from '../../model/fields.ts';
import { readBody } from '../../operation/body.ts';

const address = (description: string) => textInput(2048, description);
const flag = optional(Type.Boolean());
const codes = optional(Type.Array(textInput(2, 'ISO 3166-1 code'), { maxItems: 300 }));

const countrySchema = inputObject({
  iso_code: textInput(2, 'ISO 3166-1 code'),
  currency_code: currencyInput,
  name: optional(nameInput('English unless it stands here')),
});
const exchangeSchema = inputObject({
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
});
const channelSchema = inputObject({
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
});

const fileSchema = inputObject({
  countries: optional(Type.Array(countrySchema)),
  exchanges: optional(Type.Array(exchangeSchema)),
  channels: optional(Type.Array(channelSchema)),
});

type FileCountry = Static<typeof countrySchema>;
export type FileExchange = Static<typeof exchangeSchema>;
export type FileChannel = Static<typeof channelSchema>;

/** An operator's directory; a list that is not given is undefined. */
interface DirectoryFile {
  countries: FileCountry[] | undefined;
  exchanges: FileExchange[] | undefined;
  channels: FileChannel[] | undefined;
}

/**
 * Reads a directory file whole.
 * @param known codes of the countries that are there already. @throws {AppError} 422 with a sentence for each fault.
 */
export function readDirectoryFile(file: unknown, known: Iterable<string>): DirectoryFile {
  const { countries, exchanges, channels } = readBody(fileSchema, file, 'validation_error') as Static<
    typeof fileSchema
  >;
  if (!countries && !exchanges && !channels)
    throw invalid('The file has none of the lists countries, exchanges and channels');
  const faults = [
    ...(countries ?? []).flatMap((country, index) => countryFaults(country, `countries[${index}]`)),
    ...(exchanges ?? []).flatMap((exchange, index) => exchangeFaults(exchange, `exchanges[${index}]`)),
    ...(channels ?? []).flatMap((channel, index) => channelFaults(channel, `channels[${index}].`)),
    ...repeated(exchanges ?? [], ({ name }) => name.toLowerCase(), 'exchanges'),
    ...repeated(channels ?? [], ({ slug }) => slug, 'channels'),
  ];
  const named = new Set([...known, ...(countries ?? []).map(({ iso_code }) => iso_code.toUpperCase())]);
  for (const [index, exchange] of (exchanges ?? []).entries()) {
    const missing = (exchange.countries ?? []).filter((code) => !named.has(code.toUpperCase()));
    if (missing.length > 0) faults.push(`exchanges[${index}].countries names ${missing} which countries does not have`);
  }
  if (faults.length > 0) throw invalid(...faults.slice(0, 50));
  return { countries: countries ?? undefined, exchanges: exchanges ?? undefined, channels: channels ?? undefined };
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

const isCountry = (code: string) => countryName(code.toUpperCase()) !== undefined;

function repeated<Item>(items: readonly Item[], keyOf: (item: Item) => string, list: string): string[] {
  const keys = items.map(keyOf);
  return [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))].map(
    (key) => `${list} has ${key} more than once`,
  );
}
