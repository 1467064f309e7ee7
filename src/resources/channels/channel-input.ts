import { type Static, type TObject, Type } from 'typebox';
import { parseCurrency } from '../../kernel/currency.ts';
import { invalid } from '../../kernel/errors.ts';
import { foldLetters } from '../../kernel/folded.ts';
import { type ChannelRow, channelFaults, isChannelSlug, toLanguageTag } from '../../model/channel.ts';
import { currencyInput, nameInput, optional, textInput } from '../../model/fields.ts';
import type { Call } from '../../operation/operation.ts';
import { isChannelSlugTaken } from '../../store/channels.ts';

export const channelNameInput = nameInput('As the directory shows it');
const mostLinks = 20;

/** The members that create and update share. */
export const channelMembers = {
  slug: optional(
    Type.String({
      'x-trim': true,
      minLength: 3,
      maxLength: 60,
      description: 'Lower-case letters, digits and hyphens; made from the name unless you say otherwise',
    }),
  ),
  bio: optional(textInput(2000, 'A few sentences')),
  videos_count: optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  nsfw: optional(Type.Boolean({ description: 'Leaves it out of the directory unless it is asked for' })),
  theme: optional(textInput(50, 'Your own word for its look')),
  category: optional(Type.String({ 'x-trim': true, minLength: 1, maxLength: 50, description: 'Kept in lower case' })),
  profile_image_url: optional(textInput(2048, 'http(s) address of an image')),
  social_links: optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: `Up to ${mostLinks} http(s) addresses by name`,
    }),
  ),
  country: optional(textInput(2, 'ISO 3166-1 code of two letters')),
  language: optional(textInput(35, 'BCP 47 tag, such as en or pt-BR')),
  currency: optional(currencyInput),
};

type ChannelBody = Static<TObject<typeof channelMembers>> & { name?: string };

/** Lays what was sent over a channel. @throws {AppError} 422 naming each member that is wrong. */
export async function withChannelBody(call: Call, before: ChannelRow, body: ChannelBody): Promise<ChannelRow> {
  const or = <T>(value: T | undefined, otherwise: T): T => (value === undefined ? otherwise : value);
  const links = or(body.social_links, before.social_links) ?? {};
  const language = or(body.language, before.language);
  const channel: ChannelRow = {
    ...before,
    name: body.name ?? before.name,
    slug: body.slug ?? before.slug,
    bio: or(body.bio, before.bio),
    videos_count: body.videos_count ?? before.videos_count,
    nsfw: body.nsfw ?? before.nsfw,
    theme: or(body.theme, before.theme),
    category: or(body.category, before.category)?.toLowerCase() ?? null,
    profile_image_url: or(body.profile_image_url, before.profile_image_url),
    social_links: links as Record<string, string>,
    country: or(body.country, before.country)?.toUpperCase() ?? null,
    language: language && (toLanguageTag(language) ?? language),
    currency: body.currency === undefined ? before.currency : (body.currency && parseCurrency(body.currency)) || null,
    updated_at: call.now,
  };
  const faults = [...linkFaults(links), ...channelFaults(channel)];
  if (isChannelSlug(channel.slug) && (await isChannelSlugTaken(call.db, call.scope, channel.slug, channel.id))) {
    faults.push('slug is taken by another channel');
  }
  if (faults.length > 0) throw invalid(...faults);
  return channel;
}

/** A slug that reads like the name; what is left of it may be too short or taken, so a few random letters follow then. */
export function slugOfName(name: string): string {
  return foldLetters(name)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
}

function linkFaults(links: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(links);
  return [
    ...(names.length > mostLinks ? [`social_links must have at most ${mostLinks} entries`] : []),
    ...(names.some((name) => name.length > 40) ? ['social_links has a name of more than 40 characters'] : []),
  ];
}
