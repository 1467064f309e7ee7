import { Type } from 'typebox';
import { type EventKind, eventKinds } from '../../events/catalog.ts';
import { invalid } from '../../kernel/errors.ts';
import { OutboundError } from '../../kernel/outbound-error.ts';
import { checkOutboundUrl } from '../../kernel/outbound-url.ts';
import { metadataInput, optional, textInput } from '../../model/fields.ts';
import type { Call } from '../../operation/operation.ts';

/** What `events` may name: every kind, and all of them. */
const subscribable: readonly string[] = [...eventKinds, '*'];
const mostNames = 200;

export const urlInput = Type.String({
  description: 'http(s) address on a public network, https in live mode; without user name or password',
});
export const eventsInput = Type.Array(Type.String({ maxLength: 100 }), {
  minItems: 1,
  maxItems: mostNames,
  description: 'Kinds of events; `*` is all of them',
});
export const descriptionInput = optional(textInput(500, 'For yourself'));
export const webhookMetadataInput = optional(metadataInput);

/** @returns the kinds without repetitions. @throws {AppError} 422 naming those that are unknown. */
export function readEvents(names: readonly string[]): string[] {
  const unique = [...new Set(names)];
  const unknown = unique.filter((name) => !subscribable.includes(name));
  if (unknown.length > 0) throw invalid(`events has unknown kinds: ${unknown.slice(0, 10).join(', ')}`);
  return unique;
}

/**
 * Checks where events are to go, without asking DNS: where a name leads is checked whenever a connection is opened.
 * Live endpoints get customers' data, so for them the switch for private networks does not count.
 * @throws {AppError} 422.
 */
export function checkWebhookUrl(call: Call, url: string): void {
  const { livemode } = call.scope;
  try {
    checkOutboundUrl(url, {
      allowPrivateNetworks: !livemode && call.parts.endpoints.allowPrivateNetworks,
      httpsOnly: livemode,
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw invalid(error.message.replace(/^The URL/, 'url').replace(/\.$/, ''));
  }
}

/** Whether an endpoint subscribed to `events` gets this kind. */
export function subscribes(events: readonly string[], kind: EventKind): boolean {
  return events.includes('*') || events.includes(kind);
}
