import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOutbound } from '../../src/kernel/outbound.ts';

const directory = mkdtempSync(join(tmpdir(), 'satline-pinned-'));
let own: string;
let other: string;
let url: string;
let http: ReturnType<typeof createServer>;
beforeAll(async () => {
  own = makeCertificate('own');
  other = makeCertificate('other');
  http = createServer({ key: readFileSync(join(directory, 'own.key')), cert: own }, (_, answer) => answer.end('one\n'));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(http.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

/** As a node makes it for itself, for a name that is not where it is reached. */
function makeCertificate(name: string): string {
  const [key, file] = [join(directory, `${name}.key`), join(directory, `${name}.pem`)];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=node', '-addext', 'subjectAltName=DNS:node.invalid'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', file, ...names], { stdio: 'ignore' });
  return readFileSync(file, 'utf8');
}

test.each([
  ['the pinned certificate is trusted, whatever its name', (): string | undefined => own, true],
  ['another one is not', (): string | undefined => other, false],
  ['one of its own is not trusted without pinning', (): string | undefined => undefined, false],
] as const)('%s', async (_name, pinned, works) => {
  const outbound = createOutbound({ allowPrivateNetworks: true, pinnedCertificate: pinned() });
  const read = async () => {
    const lines: string[] = [];
    for await (const line of outbound.lines({ url, signal: new AbortController().signal })) lines.push(line);
    return [(await outbound.request({ url, timeoutMillis: 5000 })).status, lines];
  };
  try {
    if (works) expect(await read()).toEqual([200, ['one']]);
    else await expect(read()).rejects.toMatchObject({ name: 'OutboundError', kind: 'unreachable' });
  } finally {
    await outbound.close();
  }
});
