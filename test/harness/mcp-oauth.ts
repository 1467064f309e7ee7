import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the official clients want of a program that keeps their registration and tokens. Both versions ask the same. */
interface ClientStore {
  readonly redirectUrl: string;
  readonly clientMetadata: { client_name: string; redirect_uris: string[] };
  clientInformation(): never | undefined;
  saveClientInformation(information: unknown): void;
  tokens(): never | undefined;
  saveTokens(tokens: unknown): void;
  redirectToAuthorization(url: URL): void;
  saveCodeVerifier(verifier: string): void;
  codeVerifier(): string;
}

/** A program on this machine: it listens where its browser comes back, and remembers what it was given. */
export interface LocalProgram {
  store: ClientStore;
  /** Where its person has to go; set once a client was told to ask. */
  authorizationUrl(): string;
  /** What the browser brings back: the code, and who gave it (RFC 9207). */
  callback: Promise<URLSearchParams>;
  close(): Promise<void>;
}

export async function startLocalProgram(name: string): Promise<LocalProgram> {
  let bring: (parameters: URLSearchParams) => void = () => {};
  const callback = new Promise<URLSearchParams>((resolve) => {
    bring = resolve;
  });
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://127.0.0.1');
    if (url.searchParams.has('code')) bring(url.searchParams);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      '<!doctype html><html lang="en"><title>Done</title><main><h1>You may close this window</h1></main></html>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;

  const kept: { information?: unknown; tokens?: unknown; verifier?: string; authorization?: string } = {};
  const store: ClientStore = {
    redirectUrl,
    clientMetadata: { client_name: name, redirect_uris: [redirectUrl] },
    clientInformation: () => kept.information as never,
    saveClientInformation: (information) => {
      kept.information = information;
    },
    tokens: () => kept.tokens as never,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      kept.authorization = url.href;
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier!,
  };
  return {
    store,
    authorizationUrl: () => kept.authorization!,
    callback,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
