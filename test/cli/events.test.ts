import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { verifyWebhook } from '../../packages/sdk/src/index.ts';
import { readMessages, type StreamMessage } from '../../src/cli/stream-messages.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { listen } from '../harness/event-stream.ts';
import { createOrder } from '../harness/orders.ts';
import { Receiver } from '../harness/receiver.ts';
import { satlineHere } from './run-in-process.ts';
import { spawnSatline } from './run-satline.ts';

// Each starts a process or two, and a busy machine takes its time with that.
vi.setConfig({ testTimeout: 120_000 });

const emptyDir = mkdtempSync(join(tmpdir(), 'satline-cli-'));
let app: TestApp;
let url: string;
let merchant: TestMerchant;
const running: Tail[] = [];

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  url = await listen(app);
  merchant = await app.newMerchant();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((tail) => tail.interrupt()));
});
afterAll(async () => {
  await app.close();
  rmSync(emptyDir, { recursive: true, force: true });
});

/** A command that goes on, and what it has printed. */
class Tail {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;

  constructor(env: NodeJS.ProcessEnv, ...words: string[]) {
    this.#child = spawnSatline({ DATA_DIR: emptyDir, ...env }, ...words);
    this.#child.stdout!.on('data', (chunk) => (this.stdout += chunk));
    this.#child.stderr!.on('data', (chunk) => (this.stderr += chunk));
    running.push(this);
  }

  get lines(): string[] {
    return this.stdout.trim().split('\n');
  }

  async until(where: 'stdout' | 'stderr', pattern: RegExp): Promise<void> {
    while (!pattern.test(this[where])) {
      if (this.#child.exitCode !== null) throw new Error(`It ended: ${this.stderr}`);
      await Promise.race([once(this.#child[where]!, 'data'), once(this.#child, 'exit')]);
    }
  }

  async interrupt(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGINT');
      await once(this.#child, 'close');
    }
    return this.#child.exitCode;
  }
}

const env = () => ({ SATLINE_URL: url, SATLINE_KEY: merchant.test.key });

describe('events tail', () => {
  test('prints a line per event as it happens, and ends well with Ctrl-C', async () => {
    const tail = new Tail(env(), 'events', 'tail');
    await tail.until('stderr', /Following http/);
    const order = await createOrder(merchant.test);
    await tail.until('stdout', /\n/);
    const line = new RegExp(`order\\.created +evt_\\w{24}  order ${order.order_number} pending 5000 sats$`);
    expect(tail.lines.at(-1)).toMatch(line);
    expect(await tail.interrupt()).toBe(0);
  });

  test('prints the webhook’s bytes as JSON, from any place on, of the kinds asked for', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client, { metadata: { note: '\u001b[31m\u2028' } });
    await client.delete(`/api/v1/m/orders/${order.id}`);
    const options = ['--url', `${url}/`, '--key', client.key!, '--after', '', '--json'];
    const tail = new Tail({}, 'events', 'tail', ...options);
    await tail.until('stdout', /\n[\s\S]*\n/);
    const [created, cancelled] = tail.lines.map((line) => JSON.parse(line));
    expect(created).toMatchObject({ event: 'order.created', data: order });
    expect(tail.stdout).not.toContain('\u001b');

    const rest = new Tail({}, 'events', 'tail', ...options, '--after', created.id, '--types', 'order.cancelled');
    await rest.until('stdout', /\n/);
    expect(rest.lines.map((line) => JSON.parse(line))).toEqual([cancelled]);
  });

  test('takes address and key from the demo’s file', async () => {
    const dir = mkdtempSync(join(emptyDir, 'demo-'));
    const demo = { base_url: url, secret_key: merchant.test.key };
    writeFileSync(join(dir, 'demo-credentials.json'), JSON.stringify(demo));
    const tail = new Tail({ DATA_DIR: dir }, 'events', 'tail', '--after', '');
    await tail.until('stdout', /order\.created/);
  });

  test('comes back after the connection broke, and misses nothing', async () => {
    const lastIds: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      lastIds.push(request.headers['last-event-id'] as string | undefined);
      if (lastIds.length === 2) return void request.socket.destroy();
      if (lastIds.length === 3) return void response.writeHead(503).end('{"error":{"message":"resting"}}');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const id = `evt_${lastIds.length}`;
      const body = JSON.stringify({ created_at: 'now', data: {} });
      response.write(`: hello\nid: pos_1_0\n\nid: ${id}\nevent: order.paid\ndata: ${body}\n\nid: evt_half\ndata: {"a`);
      if (lastIds.length === 1) setTimeout(() => request.socket.destroy(), 50);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const tail = new Tail({}, 'events', 'tail', '--url', address, '--key', 'sk_test_x');
    await tail.until('stdout', /evt_4/);
    expect(lastIds).toEqual([undefined, 'evt_1', 'evt_1', 'evt_1']);
    expect(tail.lines).toHaveLength(2);
    await tail.interrupt();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test.each([
    ['without an address', {}, [], 'Which service? Give --url and --key; there is no demo in '],
    [
      'where nothing answers',
      {},
      ['--url', 'http://127.0.0.1:9', '--key', 'x'],
      'Nothing answers at http://127.0.0.1:9.',
    ],
    ['with a wrong key', {}, ['--key', 'sk_test_wrong'], 'answers 401: This API key is not known.'],
    [
      'with a cursor that is none',
      {},
      ['--after', 'evt_none'],
      'answers 422: after must be the id of one of your events',
    ],
  ])('says what is wrong %s', async (_name, extra, words, sentence) => {
    const base = words.includes('--url') || words.length === 0 ? {} : env();
    const { code, stderr, stdout } = await satlineHere(
      { DATA_DIR: emptyDir, ...base, ...extra },
      'events',
      'tail',
      ...words,
    );
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('at ./');
    expect([code, stdout]).toEqual([1, '']);
  });

  test('refuses options that make no sense', async () => {
    for (const words of [
      ['--url', 'ftp://x'],
      ['--types', 'order.eaten'],
    ]) {
      expect((await satlineHere({ DATA_DIR: emptyDir }, 'events', 'tail', ...words)).code).toBe(2);
    }
  });
});

describe('webhooks forward', () => {
  test('sends what a webhook would, signed with a secret that stays the same', async () => {
    const receiver = await Receiver.open();
    const words = ['webhooks', 'forward', '--to', receiver.url];
    const { stdout: secret } = await satlineHere({ DATA_DIR: emptyDir, ...env() }, ...words, '--print-secret');
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
    receiver.answerWith(200, 500);

    const tail = new Tail(env(), ...words);
    await tail.until('stderr', /Following/);
    expect(tail.stderr).toContain(`Deliveries are signed with ${secret.trim()}`);
    const order = await createOrder(merchant.test, { metadata: { note: '☕ \u2028' } });
    await merchant.test.delete(`/api/v1/m/orders/${order.id}`);
    await tail.until('stdout', /order\.cancelled/);

    const [first, second] = receiver.received.slice(-2);
    for (const { body, headers, event } of [first!, second!]) {
      expect(verifyWebhook(body, headers, secret)).toEqual(event);
    }
    expect(first!.event).toMatchObject({ event: 'order.created', data: order });
    const stored = await app.rows<{ body: string }>('select body from events where id = $1', [first!.event.id]);
    expect(first!.body.toString()).toBe(stored[0]!.body);
    expect(tail.lines.at(-2)).toMatch(/^ok {6}order\.created .* 200 {2}\d+ ms$/);
    expect(tail.lines.at(-1)).toMatch(/^FAILED {2}order\.cancelled .* 500 {2}\d+ ms$/);
    expect(await tail.interrupt()).toBe(0);
    await receiver.close();
  });

  test('goes on when nobody listens at the other end', async () => {
    const tail = new Tail(env(), 'webhooks', 'forward', '--to', 'http://127.0.0.1:9/hook', '--json');
    await tail.until('stderr', /Following/);
    await createOrder(merchant.test);
    await createOrder(merchant.test);
    await tail.until('stdout', /\n[\s\S]*\n/);
    expect(JSON.parse(tail.lines[0]!)).toMatchObject({
      event: 'order.created',
      status: null,
      error: expect.any(String),
    });
  });
});

describe('a stream of messages', () => {
  async function read(...chunks: (string | number[])[]): Promise<StreamMessage[]> {
    const bytes = chunks.map((chunk) =>
      typeof chunk === 'string' ? new TextEncoder().encode(chunk) : Uint8Array.from(chunk),
    );
    const messages: StreamMessage[] = [];
    for await (const message of readMessages(new Blob(bytes).stream())) messages.push(message);
    return messages;
  }

  test('is read whatever the pieces it comes in, characters cut in two included', async () => {
    const data = '{"note":"☕ é"}';
    const bytes = [
      ...new TextEncoder().encode(`: hi\n\nid: 1\nevent: a\ndata: ${data}\n\nid:2\n\ndata: x\ndata: y\n\ndata: cut`),
    ];
    const messages = await read(...bytes.map((byte) => [byte]));
    expect(messages.slice(1)).toEqual([
      { id: '1', event: 'a', data },
      { id: '2', event: 'message', data: '' },
      { id: '', event: 'message', data: 'x\ny' },
    ]);
  });
});
