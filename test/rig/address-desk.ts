/** What a lightning address server answers, without the HTTP: pay request, callback, verify. */
import { createHash } from 'node:crypto';
import type { AddressBehaviour, RawAnswer } from './address-behaviour.ts';
import type { LightningNode } from './node.ts';

/** An invoice that the callback handed out. */
export interface IssuedInvoice {
  readonly bolt11: string;
  readonly paymentHash: string;
  /** What the payer asked for, millisatoshi. */
  readonly askedMsat: bigint;
  readonly comment: string | undefined;
  readonly expiresAt: Date;
}

/** The node behind the address: a LightningNode, or something that can do as little. */
export type ReceivingNode = Pick<LightningNode, 'createInvoice' | 'received' | 'now'>;

export class AddressDesk {
  readonly issued: IssuedInvoice[] = [];
  readonly #node: ReceivingNode;
  readonly #user: string;
  readonly #identifier: string;
  readonly #behaviour: AddressBehaviour;

  constructor(node: ReceivingNode, user: string, host: string, behaviour: AddressBehaviour) {
    this.#node = node;
    this.#user = user;
    this.#identifier = `${user}@${host}`;
    this.#behaviour = behaviour;
  }

  answer(url: URL): RawAnswer {
    const [, first, second, third, ...rest] = url.pathname.split('/');
    if (rest.length > 0) return refusal('Not found', 404);
    if (first === '.well-known' && second === 'lnurlp' && third === this.#user) return this.#payRequest(url.origin);
    if (first === 'callback' && second === this.#user && third === undefined) return this.#callback(url);
    if (first === 'verify' && second !== undefined && third === undefined) return this.#verify(second);
    return refusal('Not found', 404);
  }

  #payRequest(origin: string): RawAnswer {
    const { minSendableMsat, maxSendableMsat, commentAllowed, callbackQuery } = this.#behaviour;
    const query = callbackQuery === '' ? '' : `?${callbackQuery}`;
    return json({
      tag: 'payRequest',
      callback: `${origin}/callback/${this.#user}${query}`,
      minSendable: Number(minSendableMsat),
      maxSendable: Number(maxSendableMsat),
      metadata: this.#metadata(),
      ...(commentAllowed > 0 ? { commentAllowed } : {}),
    });
  }

  #callback(url: URL): RawAnswer {
    const { minSendableMsat, maxSendableMsat, commentAllowed, lies } = this.#behaviour;
    for (const [name, value] of new URLSearchParams(this.#behaviour.callbackQuery)) {
      if (url.searchParams.get(name) !== value) return refusal(`The callback lost its ${name}`);
    }
    const amount = url.searchParams.get('amount') ?? '';
    if (!/^[0-9]{1,18}$/.test(amount)) return refusal('Amount is missing or no number');
    const askedMsat = BigInt(amount);
    if (askedMsat < minSendableMsat || askedMsat > maxSendableMsat) return refusal('Amount is out of range');
    const comment = url.searchParams.get('comment') ?? undefined;
    if (comment !== undefined && [...comment].length > commentAllowed) return refusal('Comment is too long');

    const { expirySeconds, descriptionHash, verify } = this.#behaviour;
    const { bolt11, paymentHash } = this.#node.createInvoice({
      amountMsat: lies.amountMsat === undefined ? askedMsat : lies.amountMsat,
      expirySeconds,
      ...(descriptionHash ? { descriptionHash: sha256Hex(this.#metadata()) } : { description: this.#user }),
    });
    const expiresAt = new Date(this.#node.now().getTime() + expirySeconds * 1000);
    this.issued.push({ bolt11, paymentHash, askedMsat, comment, expiresAt });
    return json({
      status: 'OK',
      pr: bolt11,
      routes: [],
      ...(verify ? { verify: `${url.origin}/verify/${paymentHash}` } : {}),
    });
  }

  #verify(paymentHash: string): RawAnswer {
    const { verify, expiredIsError, lies } = this.#behaviour;
    const invoice = this.issued.find((candidate) => candidate.paymentHash === paymentHash);
    if (!verify || invoice === undefined) return refusal('Not found');
    const received = this.#node.received(paymentHash);
    if (expiredIsError && received === undefined && invoice.expiresAt <= this.#node.now()) {
      return refusal('Invoice expired.');
    }
    return json({
      status: 'OK',
      settled: lies.settled ?? received !== undefined,
      preimage: lies.preimage === undefined ? (received?.preimage ?? null) : lies.preimage,
      pr: lies.verifyBolt11 ?? invoice.bolt11,
    });
  }

  /** Built the same each time: payers hash the very characters they were sent. */
  #metadata(): string {
    return JSON.stringify([
      ['text/plain', `Payment to ${this.#user}`],
      ['text/identifier', this.#identifier],
    ]);
  }
}

function json(body: unknown): RawAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** LNURL puts refusals into the body; providers mostly send them with status 200. */
function refusal(reason: string, status = 200): RawAnswer {
  return { ...json({ status: 'ERROR', reason }), status };
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
