import { isIP } from 'node:net';
import { WalletFault } from './connector.ts';

/** A lightning address, `user@host` (LUD-16), in lower case. */
interface LightningAddress {
  readonly user: string;
  /** With a port when one was given. */
  readonly host: string;
  /** Both together, for showing. */
  readonly text: string;
}

const userShape = /^(?:[a-z0-9._+-]|%2[bB]|%[89a-fA-F][0-9a-fA-F])+$/;
const hostShape = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?::[0-9]{1,5})?$/;
const maximumLength = 320;

/**
 * Reads a lightning address as a merchant types it: blanks around it and a `lightning:` prefix are dropped, letters become
 * lower case. LUD-16 names a-z, 0-9, `-`, `_`, `.` for the user, and `+` for tags; percent-encoded characters beyond
 * ASCII are let through as they are. Throws `WalletFault` of kind `refused` with a sentence for the merchant.
 */
export function parseLightningAddress(typed: string): LightningAddress {
  const text = typed.trim().replace(/^lightning:/i, '');
  const [rawUser = '', rawHost = '', ...more] = text.split('@');
  const user = lowerCaseOutsideEscapes(rawUser);
  const host = rawHost.toLowerCase();
  if (text.length > maximumLength || more.length > 0 || !userShape.test(user) || !hostShape.test(host)) {
    throw new WalletFault('refused', 'A lightning address looks like an e-mail address: name@example.com.');
  }
  // A user of dots alone would be taken for a step up the path.
  if (/^\.+$/.test(user) || !isNamedHost(host)) {
    throw new WalletFault('refused', 'The host of a lightning address must be a name, not a number.');
  }
  return { user, host, text: `${user}@${host}` };
}

/**
 * URL of the pay request (LUD-16). Plain http only for hidden services, and with `allowHttp` for names that cannot
 * exist outside this machine or its own network.
 */
export function payRequestUrl(address: LightningAddress, allowHttp: boolean): string {
  const name = address.host.replace(/:.*$/, '');
  const plain = name.endsWith('.onion') || (allowHttp && isLocalName(name));
  return `${plain ? 'http' : 'https'}://${address.host}/.well-known/lnurlp/${address.user}`;
}

function lowerCaseOutsideEscapes(text: string): string {
  return text.replace(/%[0-9a-fA-F]{2}|[A-Z]/g, (part) => (part.length === 1 ? part.toLowerCase() : part));
}

/** The URL parser reads `127.1` or `0x7f000001` as an address; a name comes out of it as it went in. */
function isNamedHost(host: string): boolean {
  if (!URL.canParse(`https://${host}`)) return false;
  const { hostname } = new URL(`https://${host}`);
  return hostname === host.replace(/:.*$/, '') && isIP(hostname) === 0;
}

function isLocalName(name: string): boolean {
  return !name.includes('.') || /\.(?:localhost|test|local|internal)$/.test(name);
}
