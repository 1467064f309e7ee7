import { type Static, Type } from 'typebox';
import { isWebAddress } from '../kernel/web-address.ts';
import { currencyCode, livemode, nullable, objectName, timestamp, uuid } from './fields.ts';

/** A creator channel: a page in the public directory. Kept by its merchant, or by the operator when there is none. */
export interface ChannelRow {
  id: string;
  merchant_id: string | null;
  livemode: boolean;
  slug: string;
  name: string;
  bio: string | null;
  videos_count: number;
  nsfw: boolean;
  theme: string | null;
  category: string | null;
  profile_image_url: string | null;
  social_links: Record<string, string>;
  /** Of an operator's channel; a merchant's channel shows the merchant's own name. */
  merchant_name: string | null;
  /** ISO 3166-1 alpha-2, upper case. */
  country: string | null;
  language: string | null;
  /** ISO 4217, lower case. */
  currency: string | null;
  created_at: Date;
  updated_at: Date;
}

export const channelColumns = [
  'id',
  'merchant_id',
  'livemode',
  'slug',
  'name',
  'bio',
  'videos_count',
  'nsfw',
  'theme',
  'category',
  'profile_image_url',
  'social_links',
  'merchant_name',
  'country',
  'language',
  'currency',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ChannelRow)[];

const fields = {
  object: objectName('channel'),
  slug: Type.String({ description: 'Its name in addresses, unique in the directory' }),
  name: Type.String(),
  bio: nullable(Type.String()),
  videos_count: Type.Integer(),
  nsfw: Type.Boolean({ description: 'Not for everybody’s eyes; left out of the directory unless asked for' }),
  theme: nullable(Type.String()),
  category: nullable(Type.String()),
  profile_image_url: nullable(Type.String()),
  social_links: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: true,
    description: 'Web addresses by name, such as `nostr` or `website`',
  }),
  merchant_name: nullable(Type.String()),
  country: nullable(Type.String({ description: 'ISO 3166-1 code of two letters' })),
  country_name: nullable(Type.String({ description: 'The country in English' })),
  language: nullable(Type.String({ description: 'BCP 47 tag, such as `en` or `pt-BR`' })),
  currency: nullable(currencyCode),
};

/** As the public directory shows it. */
export const listedChannelSchema = Type.Object(fields, { description: 'A creator channel' });

/** As its merchant sees it. */
export const channelSchema = Type.Object(
  {
    ...fields,
    livemode,
    id: uuid('Channel'),
    merchant_id: uuid('Merchant'),
    created_at: timestamp('When the channel was made'),
    updated_at: timestamp('When the channel last changed'),
  },
  { description: 'A creator channel in the public directory' },
);
export type Channel = Static<typeof channelSchema>;

export function toListedChannel(row: ChannelRow) {
  return {
    object: 'channel' as const,
    slug: row.slug,
    name: row.name,
    bio: row.bio,
    videos_count: row.videos_count,
    nsfw: row.nsfw,
    theme: row.theme,
    category: row.category,
    profile_image_url: row.profile_image_url,
    social_links: row.social_links,
    merchant_name: row.merchant_name,
    country: row.country,
    country_name: (row.country && countryName(row.country)) ?? null,
    language: row.language,
    currency: row.currency,
  };
}

export function toChannel(row: ChannelRow): Channel {
  return {
    ...toListedChannel(row),
    livemode: row.livemode,
    id: row.id,
    merchant_id: row.merchant_id!,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

// Codes that Intl names and that are no countries: unions, and regions made for tests.
const noCountries = new Set(['EU', 'EZ', 'UN', 'XA', 'XB', 'ZZ']);
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** The English name of a country, undefined for what is no ISO 3166-1 code of two letters. */
export function countryName(code: string): string | undefined {
  return /^[A-Z]{2}$/.test(code) && !noCountries.has(code) ? regions.of(code) : undefined;
}

/** A channel as it was sent. */
type SentChannel = Pick<ChannelRow, 'slug'> & {
  profile_image_url?: string | null;
  social_links?: Readonly<Record<string, unknown>> | null;
  country?: string | null;
  language?: string | null;
};

/**
 * What is wrong with a channel that no schema can say: a sentence for each member.
 * @param at what stands before the members' names, such as `channels[0].`
 */
export function channelFaults(channel: SentChannel, at = ''): string[] {
  const { slug, profile_image_url: image, social_links: links, country, language } = channel;
  const faults: string[] = [];
  if (!isChannelSlug(slug)) {
    faults.push(`${at}slug must have 3 to 60 lower-case letters, digits and single hyphens, with no hyphen at an end`);
  }
  if (image != null && !isWebAddress(image)) faults.push(`${at}profile_image_url must be an http(s) address`);
  for (const [name, address] of Object.entries(links ?? {})) {
    if (typeof address !== 'string' || address.length > longestAddress || !isWebAddress(address)) {
      faults.push(`${at}social_links.${name} must be an http(s) address`);
    }
  }
  if (country != null && countryName(country.toUpperCase()) === undefined) {
    faults.push(`${at}country must be an ISO 3166-1 code of two letters`);
  }
  if (language != null && toLanguageTag(language) === undefined) {
    faults.push(`${at}language must be a BCP 47 tag, such as en or pt-BR`);
  }
  return faults;
}

const longestAddress = 2048;

/** A BCP 47 tag in its usual spelling; undefined for what is none. */
export function toLanguageTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/** 3 to 60 lower-case letters, digits and single hyphens, with no hyphen at an end. */
export function isChannelSlug(text: string): boolean {
  return text.length >= 3 && text.length <= 60 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}
