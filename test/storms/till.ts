import { setTimeout as sleep } from 'node:timers/promises';
import { orderBody } from '../harness/orders.ts';
import { callOver } from './process.ts';
import type { Dice } from './seeds.ts';

/** An order as the till wants it; `key` is its Idempotency-Key and its own reference at once. */
interface Sale {
  readonly key: string;
  readonly cash: boolean;
  readonly body: unknown;
}

interface Made {
  readonly id: string;
  readonly invoiceId: string | undefined;
}

/**
 * A merchant's server under load that never gives up a sale: what was not answered is sent again with the same key. It
 * remembers what it was told, to compare it with the books later.
 */
export class Till {
  /** Sent, and never heard of. */
  readonly open = new Map<string, Sale>();
  /** Acknowledged orders by key. */
  readonly made = new Map<string, Made>();
  /** Acknowledged payments by order. */
  readonly paid = new Map<string, string>();
  /** How many calls were answered. */
  answers = 0;
  readonly #unpaid = new Map<string, Made>();
  /** What was said last to a call that has to be sent again, by its key or order. */
  readonly #refusals = new Map<string, string>();
  readonly #roll: Dice;
  readonly #secretKey: string;
  readonly #tolerated: ReadonlySet<number>;
  #count = 0;
  #stopped = false;

  /** @param tolerated statuses that a call may end with beside success; it is then sent again. */
  constructor(roll: Dice, secretKey: string, tolerated: readonly number[] = []) {
    this.#roll = roll;
    this.#secretKey = secretKey;
    this.#tolerated = new Set(tolerated);
  }

  /** Sells until `stop` or until the service is gone. @throws when it is given an answer that nobody foresaw. */
  async work(baseUrl: string, workers: number): Promise<void> {
    this.#stopped = false;
    await Promise.all(Array.from({ length: workers }, () => this.#workUntilGone(baseUrl)));
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Sends everything that is still open until it is answered. @throws when for a minute and a half nothing more is. */
  async finish(baseUrl: string): Promise<void> {
    let left = this.#left();
    for (let end = Date.now() + 90_000; left.length > 0; left = this.#left()) {
      if (Date.now() > end) {
        throw new Error(`still open: ${left.map((key) => `${key} after ${this.#refusals.get(key)}`).join('; ')}`);
      }
      for (const sale of [...this.open.values()]) await this.#sell(baseUrl, sale);
      for (const made of [...this.#unpaid.values()]) await this.#pay(baseUrl, made);
      if (this.#left().length < left.length) end = Date.now() + 90_000;
      // A key whose call was cut off is taken until its lease ends.
      if (this.open.size > 0) await sleep(500);
    }
  }

  #left(): string[] {
    return [...this.open.keys(), ...this.#unpaid.keys()];
  }

  async #workUntilGone(baseUrl: string): Promise<void> {
    try {
      while (!this.#stopped) await this.#next(baseUrl);
    } catch (error) {
      // What fetch throws when nobody answers or an answer breaks off; anything else is ours.
      if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    }
  }

  async #next(baseUrl: string): Promise<void> {
    const roll = this.#roll;
    const again = [...this.open.values()];
    if (again.length > 0 && roll.chance(0.3)) return this.#sell(baseUrl, roll.pick(again));
    const waiting = [...this.#unpaid.values()];
    if (waiting.length > 0 && roll.chance(0.5)) return this.#pay(baseUrl, roll.pick(waiting));
    return this.#sell(baseUrl, this.#newSale());
  }

  #newSale(): Sale {
    const roll = this.#roll;
    const key = `sale-${++this.#count}`;
    const cash = roll.chance(0.2);
    const order = { po_number: key, total_amount_cents: 100 + roll.below(900) };
    return {
      key,
      cash,
      body: cash
        ? orderBody({ ...order, tender_type: 'cash' }, { mark_as_paid: true })
        : orderBody(order, { generate_invoice: true }),
    };
  }

  async #sell(baseUrl: string, sale: Sale): Promise<void> {
    this.open.set(sale.key, sale);
    const { status, body } = await this.#post(baseUrl, '/m/orders', sale.body, sale.key);
    this.#refusals.set(sale.key, `${status} ${body.error?.message}`);
    if (status === 409 && body.error.code === 'idempotency_in_progress') return;
    if (this.#isToBeSentAgain(status)) return;
    if (status !== 201) throw new Error(`${sale.key} answered ${status} ${JSON.stringify(body)}`);
    const made = { id: body.id as string, invoiceId: body.invoice?.id as string | undefined };
    const earlier = this.made.get(sale.key);
    if (earlier && earlier.id !== made.id) throw new Error(`${sale.key} was ${earlier.id} and now is ${made.id}`);
    this.open.delete(sale.key);
    this.made.set(sale.key, made);
    if (made.invoiceId && !this.paid.has(made.id)) this.#unpaid.set(made.id, made);
  }

  async #pay(baseUrl: string, made: Made): Promise<void> {
    const { status, body } = await this.#post(baseUrl, `/m/invoices/${made.invoiceId}/simulate_payment`, {});
    this.#refusals.set(made.id, `${status} ${body.error?.message}`);
    if (this.#isToBeSentAgain(status)) return;
    if (status !== 200) throw new Error(`paying ${made.id} answered ${status} ${JSON.stringify(body)}`);
    const earlier = this.paid.get(made.id);
    if (earlier && earlier !== body.id) throw new Error(`${made.id} was paid by ${earlier} and now by ${body.id}`);
    this.paid.set(made.id, body.id);
    this.#unpaid.delete(made.id);
  }

  /** Long storms on a quick machine send more than the plan allows in a minute. */
  #isToBeSentAgain(status: number): boolean {
    return status === 429 || this.#tolerated.has(status);
  }

  async #post(baseUrl: string, path: string, body: unknown, key?: string) {
    const headers: Record<string, string> = key ? { 'idempotency-key': key } : {};
    const answer = await callOver(baseUrl, this.#secretKey, 'POST', path, body, headers);
    this.answers++;
    if (answer.status === 429) await sleep(250);
    return answer;
  }
}
