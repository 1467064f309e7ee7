import { isJsonObject } from '../../kernel/json-object.ts';

/** Versions of the protocol that are spoken here, newest first. */
const spokenVersions = ['2025-06-18', '2025-03-26', '2024-11-05'] as const;

const newestKnown = '2026-07-28';
/**
 * Versions that a client may name in `MCP-Protocol-Version`: every one that was published, and dates after the newest,
 * which may have been since. Clients send the one they asked for whatever was agreed, and refusing newer ones locks them
 * out; other dates never were a version and are refused.
 */
const knownVersions: ReadonlySet<string> = new Set([...spokenVersions, '2025-11-25', newestKnown]);
const isLaterVersion = (version: string) => /^\d{4}-\d\d-\d\d$/.test(version) && version > newestKnown;

/** What a model is told of how to sell, each with the tools that it takes. */
const waysToSell = [
  {
    tools: ['create_order', 'check_invoice_status'],
    way:
      'create_order, give the customer the payment_request of its invoice, and call check_invoice_status until it says ' +
      'paid',
  },
  { tools: ['create_checkout_session'], way: 'create_checkout_session, and give the customer its address' },
  { tools: ['create_payment_link'], way: 'create_payment_link, and give the customer its address' },
];

/** @param has whether the caller may use a tool: naming others would send a model into refusals. */
function instructionsFor(has: (tool: string) => boolean): string {
  const ways = waysToSell.filter(({ tools }) => tools.every(has)).map(({ way }) => way);
  return [
    'Satline takes Bitcoin Lightning payments for one merchant. Amounts named *_cents are whole numbers in minor units of ' +
      'their currency (1999 is 19.99 usd), *_sats are whole satoshis.',
    ...(ways.length > 0 ? [`To sell something: ${ways.join('; or ')}.`] : []),
    'Send an idempotency_key with whatever you may have to repeat. A null argument counts as not given.',
  ].join(' ');
}

/** The answer to `initialize`: in the version that was asked for if it is spoken here, else in the newest. Never an error. */
export function initialize({ protocolVersion }: Readonly<Record<string, unknown>>, has: (tool: string) => boolean) {
  return {
    protocolVersion: spokenVersions.find((version) => version === protocolVersion) ?? spokenVersions[0],
    capabilities: { tools: {} },
    // The version is the interface's, whatever Satline's own is.
    serverInfo: { name: 'satline', title: 'Satline', version: '1.2.1' },
    instructions: instructionsFor(has),
  };
}

/**
 * What is wrong with the header `MCP-Protocol-Version` of a request, undefined when nothing is. An `initialize` may send any:
 * the version is what it is about.
 */
export function versionFault(header: string | string[] | undefined, body: unknown): string | undefined {
  const version = String(header);
  if (header === undefined || knownVersions.has(version) || isLaterVersion(version)) return undefined;
  const messages = Array.isArray(body) ? body : [body];
  if (messages.some((message) => isJsonObject(message) && message.method === 'initialize')) return undefined;
  return `MCP-Protocol-Version must be one of ${[...knownVersions].sort().join(', ')}, or a newer one`;
}
