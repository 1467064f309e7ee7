import { isJsonObject, type JsonObject } from '../../kernel/json-object.ts';
import { WalletFault } from '../connector.ts';

/** The wallet's own refusal, with its code for those who know what it means. */
export class NwcError extends WalletFault {
  readonly code: string;

  constructor(code: string) {
    super(faultKinds[code] ?? 'refused', `The wallet refused with ${code}.`);
    this.code = code;
  }
}

const faultKinds: Readonly<Record<string, 'rate_limited' | 'unauthorized' | 'unreachable'>> = {
  RATE_LIMITED: 'rate_limited',
  UNAUTHORIZED: 'unauthorized',
  RESTRICTED: 'unauthorized',
  INTERNAL: 'unreachable',
};

/** The `result` of a wallet's reply (NIP-47). @throws {WalletFault} for its error, or one that says nothing. */
export function readReply(text: string): JsonObject {
  const { error, result } = readObject(text);
  if (isJsonObject(error)) throw faultOf(error);
  if (!isJsonObject(result)) throw new WalletFault('protocol', 'The wallet gave an answer that says nothing.');
  return result;
}

/** A decrypted message as the JSON object it should be. @throws for anything that is no JSON. */
export function readObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

function faultOf({ code }: JsonObject): NwcError {
  return new NwcError(typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'OTHER');
}
