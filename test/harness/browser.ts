import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';
import { newNonce, pageHeaders } from '../../src/surfaces/pages/headers.ts';

const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where the browser is; undefined where there is none. */
const chromiumPath = candidates.find((path) => path !== undefined && existsSync(path));

/**
 * Whether the browser tests can run. On a person's machine their absence is said aloud; under CI it is a failure, since
 * nobody reads a green run.
 */
export function hasBrowser(): boolean {
  if (chromiumPath) return true;
  const words = 'No Chromium was found: install it, or set CHROMIUM to its path. Browser tests did not run.';
  if (process.env.CI) throw new Error(words);
  console.warn(`\n*** ${words}\n`);
  return false;
}

/** One browser a test file; pages and contexts come from it. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath!,
    // Containers often have a tiny /dev/shm and no user namespaces.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}

export interface PageServer {
  url: string;
  /** What is answered under a path; a new one takes the old one's place. */
  show(path: string, render: (nonce: string, request: IncomingMessage) => string, headers?: PageHeaders): void;
  /** For everything that is no page. */
  handle(path: string, handler: (request: IncomingMessage, response: ServerResponse) => void): void;
  close(): Promise<void>;
}

interface PageHeaders {
  frameOrigins?: readonly string[];
  status?: number;
}

/** A server for pages that are rendered from made-up data, with the headers of the real ones. */
export async function openPageServer(): Promise<PageServer> {
  const handlers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const server = createServer((request, response) => {
    const handler = handlers.get(request.url!.split('?', 1)[0]!);
    if (handler) return handler(request, response);
    response.statusCode = 404;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show(path, render, { frameOrigins, status = 200 } = {}) {
      handlers.set(path, (request, response) => {
        const nonce = newNonce();
        response.writeHead(status, pageHeaders({ nonce, frameOrigins }));
        response.end(render(nonce, request));
      });
    },
    handle: (path, handler) => void handlers.set(path, handler),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
