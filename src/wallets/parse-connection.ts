import { WalletFault } from '../lightning/connector.ts';
import { parseLightningAddress } from '../lightning/lnurl-address.ts';
import { publicKeyOf, sharedSecretX } from '../lightning/secp256k1.ts';
import type { WalletConnection } from './wallet-connection.ts';

const blinkUrl = 'https://api.blink.sv/graphql';
const longestText = 8192;

/**
 * Reads what a merchant pastes to connect a wallet. `key` is the secret, for addresses that hold none.
 * @throws {WalletFault} `refused`, with a sentence that repeats nothing of what was pasted.
 */
export function parseConnection(typed: string, key?: string): WalletConnection {
  const text = unwrapped(typed);
  if (text.length > longestText) throw refuse('That is too long for a wallet connection.');
  if (/^nostr\+?walletconnect:/i.test(text)) return parseNwc(text);
  if (/^lndconnect:/i.test(text)) return parseLndconnect(text);
  if (/^lndhub:/i.test(text)) return parseLndhub(text);
  if (/^blink_\w+$/.test(text)) return { kind: 'blink', url: blinkUrl, apiKey: text };
  if (/^type=/i.test(text)) return parseList(text);
  const prefixed = /^(clnrest|cln|phoenixd|lnbits|btcpay|lnd)(?:\+(https?))?:\/\/(.*)$/is.exec(text);
  const secret = key === undefined ? undefined : unwrapped(key);
  if (prefixed)
    return parseServer(wordFor(prefixed[1]!), `${(prefixed[2] ?? 'https').toLowerCase()}://${prefixed[3]}`, secret);
  if (/^https?:\/\//i.test(text)) return parseServer(undefined, text, secret);
  return { kind: 'lightning_address', address: parseLightningAddress(text).text };
}

/** Without the blanks and quotation marks around it that are copied along. */
function unwrapped(pasted: string): string {
  return pasted
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim();
}

type ServerKind = 'lnd' | 'cln' | 'phoenixd' | 'lnbits' | 'btcpay';

const wordFor = (word: string): ServerKind =>
  word.toLowerCase() === 'clnrest' ? 'cln' : (word.toLowerCase() as ServerKind);

/** NIP-47: `nostr+walletconnect://<wallet's key>?relay=…&relay=…&secret=…`. */
function parseNwc(text: string): WalletConnection {
  const [, key = '', query = ''] = /^[^:]+:(?:\/\/)?([^?/]*)\/?\?(.*)$/s.exec(text) ?? [];
  const values = new URLSearchParams(query);
  const walletPubkey = key.toLowerCase();
  const secret = (values.get('secret') ?? '').toLowerCase();
  const relays = [...new Set(values.getAll('relay'))].filter((url) => /^wss?:\/\//i.test(url) && URL.canParse(url));
  if (!isHex(walletPubkey, 32) || !isHex(secret, 32)) {
    throw refuse('The connection string must name the wallet’s key and hold a secret, each 64 characters of hex.');
  }
  const privateKey = Buffer.from(secret, 'hex');
  if (!publicKeyOf(privateKey) || !sharedSecretX(privateKey, Buffer.from(walletPubkey, 'hex'))) {
    throw refuse('The key or the secret of the connection string is none.');
  }
  if (relays.length === 0) throw refuse('The connection string names no relay.');
  return { kind: 'nwc', relays: relays.slice(0, 5), walletPubkey, secret };
}

/** `lndconnect://host:port?cert=…&macaroon=…`, both in base64url, the certificate as DER. */
function parseLndconnect(text: string): WalletConnection {
  const url = parseUrl(text.replace(/^lndconnect:\/*/i, 'https://'));
  const certificate = url.searchParams.get('cert');
  return lnd(url.origin, url.searchParams.get('macaroon'), certificate ? toPem(certificate) : undefined);
}

/** The LndHub link of LNbits: `lndhub://invoice:<key>@https://host/lndhub/ext/`. */
function parseLndhub(text: string): WalletConnection {
  const [, invoiceKey, address] = /^lndhub:\/\/\w+:([^@]+)@(https?:\/\/\S+)$/i.exec(text) ?? [];
  if (!invoiceKey || !address) throw refuse('The LndHub link must hold a key and the address of a server.');
  return lnbits(parseUrl(address), invoiceKey);
}

/** `type=lnd-rest;server=https://…;macaroon=…`, as BTCPay Server writes its connections. */
function parseList(text: string): WalletConnection {
  const values = new Map(
    text.split(';').map((part) => {
      const [name = '', ...rest] = part.trim().split('=');
      return [name.toLowerCase(), rest.join('=')] as const;
    }),
  );
  const server = values.get('server') ?? '';
  switch (values.get('type')?.toLowerCase()) {
    case 'lnd-rest':
      if (values.has('certthumbprint')) {
        throw refuse(
          'A certificate cannot be checked by its thumbprint: paste the lndconnect:// link of the node, which holds the certificate itself, or leave certthumbprint out where the certificate is a public one.',
        );
      }
      return lnd(serverUrl(parseUrl(server)), values.get('macaroon') ?? null, undefined);
    case 'phoenixd':
      return {
        kind: 'phoenixd',
        url: serverUrl(parseUrl(server)),
        password: required(values.get('password'), 'password'),
      };
    case 'clnrest':
    case 'cln-rest':
      return { kind: 'cln', url: serverUrl(parseUrl(server)), rune: required(values.get('rune'), 'rune') };
    case 'lnbits':
      return lnbits(parseUrl(server), required(values.get('api-key'), 'api-key'));
    case 'blink':
      return {
        kind: 'blink',
        url: server === '' ? blinkUrl : parseUrl(server).href,
        apiKey: required(values.get('api-key'), 'api-key'),
      };
    default:
      throw refuse('The type of the connection must be lnd-rest, clnrest, phoenixd, lnbits or blink.');
  }
}

function parseServer(word: ServerKind | undefined, address: string, given: string | undefined): WalletConnection {
  const url = parseUrl(address);
  const secret = (...names: string[]) =>
    given ?? (names.map((name) => url.searchParams.get(name)).find((value) => value !== null) || undefined);
  const store = /\/stores\/([A-Za-z0-9]+)/.exec(url.pathname)?.[1];
  const kind = word ?? guess(url, store);
  switch (kind) {
    case 'lnd':
      return lnd(url.origin, secret('macaroon', 'key') ?? null, pemOf(url));
    case 'cln': {
      const certificate = pemOf(url);
      const rune = required(secret('rune', 'key'), 'rune');
      return { kind, url: url.origin, rune, ...(certificate && { certificate }) };
    }
    case 'phoenixd': {
      const password = url.password === '' ? secret('password', 'key') : decoded(url.password);
      return { kind, url: url.origin, password: required(password, 'password') };
    }
    case 'lnbits':
      return lnbits(url, required(secret('key', 'api-key', 'inkey'), 'invoice key'));
    case 'btcpay': {
      if (!store) throw refuse('The address must be that of a BTCPay store, ending in /stores/ and its id.');
      const base = url.origin + url.pathname.slice(0, url.pathname.indexOf('/stores/')).replace(/\/api\/v1$/, '');
      return { kind, url: base, storeId: store, apiKey: required(secret('key', 'api-key', 'token'), 'API key') };
    }
    default:
      throw refuse(
        'Whose address that is cannot be told: put lnbits+, btcpay+, phoenixd+, clnrest+ or lnd+ in front of https://.',
      );
  }
}

function guess(url: URL, store: string | undefined): ServerKind | undefined {
  if (url.searchParams.has('rune')) return 'cln';
  if (url.searchParams.has('macaroon')) return 'lnd';
  if (store) return 'btcpay';
  if (/^\/(?:wallet|lndhub)\b/.test(url.pathname)) return 'lnbits';
  return url.port === '9740' || (url.username === '' && url.password !== '') ? 'phoenixd' : undefined;
}

function lnd(url: string, macaroon: string | null, certificate: string | undefined): WalletConnection {
  const text = required(macaroon ?? undefined, 'macaroon');
  const hex = /^(?:[0-9a-f]{2})+$/i.test(text) ? text.toLowerCase() : Buffer.from(text, 'base64').toString('hex');
  if (hex.length < 40) throw refuse('The macaroon must be written in hex or base64.');
  return { kind: 'lnd', url, macaroon: hex, ...(certificate && { certificate }) };
}

function lnbits(url: URL, invoiceKey: string): WalletConnection {
  const base = url.pathname.replace(/\/(?:wallet|lndhub|api)\b.*$/, '');
  return { kind: 'lnbits', url: (url.origin + base).replace(/\/+$/, ''), invoiceKey };
}

function serverUrl(url: URL): string {
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

function pemOf(url: URL): string | undefined {
  const value = url.searchParams.get('cert') ?? url.searchParams.get('certs');
  return value ? toPem(value) : undefined;
}

/** DER in base64 or base64url, PEM, or PEM in base64. */
function toPem(written: string): string {
  const bytes = Buffer.from(written.replaceAll(/-----(?:BEGIN|END) CERTIFICATE-----/g, ''), 'base64');
  const text = bytes.toString('latin1');
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  if (bytes[0] !== 0x30) throw refuse('The certificate must be written in base64.');
  const lines = bytes.toString('base64').match(/.{1,64}/g)!;
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** A password as it was before it went into an address; one that was never encoded for that stays as it is. */
function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw refuse('The address of the wallet’s server cannot be read.');
  const url = new URL(text);
  // A plus is one: base64 has them, and no value holds the blank that it stands for in a query.
  url.search = url.search.replaceAll('+', '%2B');
  return url;
}

function required(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw refuse(`The ${name} is missing; give it as the key.`);
  if (/[\s\p{Cc}]/u.test(value)) throw refuse(`The ${name} must not hold blanks or line breaks.`);
  return value;
}

function isHex(text: string, bytes: number): boolean {
  return text.length === bytes * 2 && /^[0-9a-f]+$/.test(text);
}

function refuse(message: string): WalletFault {
  return new WalletFault('refused', message);
}
