import type { IncomingHttpHeaders } from 'node:http';
import { inject } from 'light-my-request';
import type { Provider } from 'oidc-provider';
import { sessionCookie } from './cookie-names.ts';

export interface ProviderRequest {
  method: 'GET' | 'POST';
  /** With its query. */
  path: string;
  headers: Readonly<Record<string, string | undefined>>;
  body?: string;
  address: string;
}

export interface ProviderAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string;
}

/**
 * Hands oidc-provider a request that we wrote ourselves, in this process. It takes host and protocol from headers: these
 * come from the configured address, so that nothing a caller sends changes a link.
 */
export async function askProvider(
  provider: Provider,
  publicUrl: string,
  { method, path, headers, body, address }: ProviderRequest,
): Promise<ProviderAnswer> {
  const { host, protocol } = new URL(publicUrl);
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const answer = await inject(provider.callback(), {
    method,
    url: path,
    headers: {
      ...Object.fromEntries(given),
      host,
      'x-forwarded-proto': protocol.slice(0, -1),
      'x-forwarded-for': address,
    },
    remoteAddress: address,
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: answer.statusCode, headers: keptHeaders(answer.headers), body: answer.payload };
}

/** The provider's cookies among those that a browser sent; others are none of its business. */
export function providerCookies({ cookie }: IncomingHttpHeaders): string | undefined {
  const ours = (cookie ?? '').split(/; */).filter((pair) => /^satline_oauth_(?!session)/.test(pair));
  return ours.length > 0 ? ours.join('; ') : undefined;
}

const hopHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date', 'vary']);

function keptHeaders(headers: Readonly<Record<string, unknown>>): ProviderAnswer['headers'] {
  const kept: ProviderAnswer['headers'] = {};
  for (const [name, value] of Object.entries(headers)) {
    if (hopHeaders.has(name) || name.startsWith('access-control-') || value === undefined) continue;
    if (name !== 'set-cookie') kept[name] = String(value);
    else {
      const cookies = [value].flat().map(String);
      const lasting = cookies.filter((cookie) => !cookie.startsWith(sessionCookie));
      if (lasting.length > 0) kept[name] = lasting;
    }
  }
  return kept;
}
