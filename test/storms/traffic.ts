import { randomBytes, randomUUID } from 'node:crypto';
import { EventStream } from '../harness/event-stream.ts';
import { rpc } from '../harness/mcp.ts';
import { orderBody } from '../harness/orders.ts';
import { visitorAddress } from '../harness/visitors.ts';
import type { Dice } from './seeds.ts';

type Act = () => Promise<unknown>;

/**
 * Everybody who calls a service in an hour, at once: a till, an agent, shop pages, payers, strangers who guess. Strangers
 * come from ever new addresses, so the service must trust the proxy that says so.
 */
export class Traffic {
  /** How often each status was answered. */
  readonly statuses = new Map<number, number>();
  readonly #baseUrl: string;
  readonly #key: string;
  readonly #roll: Dice;
  readonly #acts: readonly Act[];
  #lastOrder: string | undefined;
  #catalogTag = '';

  constructor(baseUrl: string, key: string, roll: Dice) {
    this.#baseUrl = baseUrl;
    this.#key = key;
    this.#roll = roll;
    const { sell, abandon, checkOut, read, changeCatalog, useTools, follow, guess } = this;
    this.#acts = [sell, sell, abandon, checkOut, checkOut, read, read, changeCatalog, useTools, follow, guess, guess];
  }

  /** What one of them does, up to its last answer. */
  act(): Promise<unknown> {
    return this.#roll.pick(this.#acts)();
  }

  get answers(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
  }

  readonly sell = async () => {
    const order = await this.#order({ generate_invoice: true });
    if (!order) return;
    await this.#call('GET', `/m/invoices/${order.invoice.id}/status`);
    await this.#call('POST', `/m/invoices/${order.invoice.id}/simulate_payment`);
    this.#lastOrder = order.id;
  };

  readonly abandon = async () => {
    const order = await this.#order({});
    if (order) await this.#call('DELETE', `/m/orders/${order.id}`);
  };

  readonly checkOut = async () => {
    const session = await this.#call('POST', '/checkout_sessions', {
      checkout_session: { amount_cents: 100 + this.#roll.below(900) },
    });
    if (!session?.checkout_url) return;
    const page = new URL(session.checkout_url).pathname;
    await this.#visit(page);
    if (this.#roll.chance(0.5)) await this.#visit(`${page}/simulate_payment`, 'POST');
    await this.#visit(page);
  };

  readonly read = async () => {
    await this.#call('GET', `/m/orders?per_page=25&page=${1 + this.#roll.below(3)}&q[status_eq]=paid`);
    if (this.#lastOrder) await this.#call('GET', `/m/orders/${this.#lastOrder}`);
    // What was sold lately: of all that was ever sold there is more each time.
    const since = new Date(Date.now() - 60_000).toISOString();
    await this.#call('GET', `/m/sales?q[sold_at_gteq]=${since}`, undefined, { accept: 'text/csv' });
    const { headers } = await this.#send('GET', '/api/v1/m/catalog', undefined, { 'if-none-match': this.#catalogTag });
    this.#catalogTag = headers.get('etag') ?? '';
  };

  readonly changeCatalog = async () => {
    const product = await this.#call('POST', '/m/products', { product: { name: 'Tea', price_cents: 300 } });
    if (!product?.id) return;
    await this.#call('PATCH', `/m/products/${product.id}`, { product: { price_cents: 350 } });
    await this.#call('DELETE', `/m/products/${product.id}`);
  };

  readonly useTools = async () => {
    await this.#call('POST', '/mcp', rpc('tools/list'));
    await this.#call('POST', '/mcp', rpc('tools/call', { name: 'list_orders', arguments: {} }));
    await this.#call('POST', '/mcp', rpc('tools/call', { name: randomUUID(), arguments: {} }));
  };

  readonly follow = async () => {
    const stream = await EventStream.open(`${this.#baseUrl}/api/v1/m/events/stream`, this.#key);
    this.#count(stream.status);
    await this.#order({ mark_as_paid: true }, { tender_type: 'cash' });
    await stream.close();
  };

  readonly guess = async () => {
    const word = randomBytes(16).toString('hex');
    await this.#call('GET', '/m/merchant', undefined, { authorization: `Bearer sk_test_${word}` });
    await this.#visit(`/${word}`);
    await this.#visit(`/checkout/${word}`);
    if (this.#roll.chance(0.05))
      await this.#call('POST', '/m/sessions', { email: `${word}@example.com`, password: word });
  };

  #order(options: Record<string, unknown>, members = {}) {
    const order = { total_amount_cents: 100 + this.#roll.below(900), ...members };
    return this.#call('POST', '/m/orders', orderBody(order, options), { 'idempotency-key': randomUUID() });
  }

  async #call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const { text, status } = await this.#send(method, `/api/v1${path}`, body, headers);
    return status < 300 && text.startsWith('{') ? JSON.parse(text) : undefined;
  }

  #visit(path: string, method = 'GET') {
    return this.#send(method, path, undefined, { 'x-forwarded-for': visitorAddress(randomUUID()) });
  }

  async #send(method: string, path: string, body: unknown, headers: Record<string, string>) {
    const answer = await fetch(this.#baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json', ...headers },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
      signal: AbortSignal.timeout(30_000),
    });
    this.#count(answer.status);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  #count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }
}
