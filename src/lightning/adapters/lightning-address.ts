import { addSeconds, type Clock } from '../../kernel/clock.ts';
import type { Outbound } from '../../kernel/outbound.ts';
import { acceptInvoice } from '../acceptance.ts';
import type { Bolt11Invoice } from '../bolt11.ts';
import type { Network } from '../bolt11-format.ts';
import {
  type Connector,
  type CreatedInvoice,
  type InvoiceFact,
  type InvoiceRequest,
  WalletFault,
  type WalletFaultKind,
  type WalletProbe,
} from '../connector.ts';
import { requireWholeSats, settledFact } from '../invoice-reading.ts';
import { fetchPayRequest, type LnurlContext, type PayRequest, requestInvoice, verifySettlement } from '../lnurl.ts';
import { parseLightningAddress, payRequestUrl } from '../lnurl-address.ts';
import { callWallet, goodObject } from '../wallet-http.ts';

interface LightningAddressOptions {
  readonly address: string;
  readonly outbound: Outbound;
  /** Networks whose invoices are accepted: `acceptedNetworks(livemode)`. */
  readonly networks: readonly Network[];
  /** Plain http for hosts on this machine or network; only together with an outbound that allows private networks. */
  readonly allowHttp: boolean;
  readonly clock: Clock;
}

/** Limits change rarely, and an offer that turns out to be stale is fetched afresh. */
const payRequestLifetimeSeconds = 180;

const mayBeOutdated: ReadonlySet<WalletFaultKind> = new Set(['refused', 'protocol', 'amount_out_of_range']);

type Wish = Pick<InvoiceRequest, 'amountMsat' | 'description'>;

interface Made {
  readonly invoice: Bolt11Invoice;
  readonly verify: string | undefined;
  /** Where an LNbits server tells the state of the invoice to anybody, for one that has no LUD-21. */
  readonly lnbitsStatus: string | undefined;
  readonly commitment: Commitment;
}

/**
 * A wallet behind a lightning address: LUD-16 on top of LUD-06, comments by LUD-12, settlement by LUD-21. Nothing is stored
 * that could spend. Throws `WalletFault` of kind `refused` when the address is none.
 */
export function lightningAddressConnector(options: LightningAddressOptions): Connector {
  const { outbound, allowHttp, clock } = options;
  const url = payRequestUrl(parseLightningAddress(options.address), allowHttp);
  let cached: { payRequest: PayRequest; until: Date } | undefined;

  async function getPayRequest(context: LnurlContext): Promise<PayRequest> {
    if (cached && clock.now() < cached.until) return cached.payRequest;
    const payRequest = await fetchPayRequest(url, context);
    // A query may hold a one-time token, so that such a callback is used once.
    const lifetimeSeconds = new URL(payRequest.callback).search === '' ? payRequestLifetimeSeconds : 0;
    cached = { payRequest, until: addSeconds(clock.now(), lifetimeSeconds) };
    return payRequest;
  }

  async function create(request: Wish, context: LnurlContext): Promise<Made> {
    const before = cached?.payRequest;
    const payRequest = await getPayRequest(context);
    try {
      return await ask(payRequest, request, context);
    } catch (error) {
      cached = undefined;
      // An offer from the cache may be out of date: its limits may have moved, its callback gone. Anything else is final.
      const outdated = payRequest === before && error instanceof WalletFault && mayBeOutdated.has(error.kind);
      if (!outdated) throw error;
      return ask(await getPayRequest(context), request, context);
    }
  }

  async function ask(payRequest: PayRequest, { amountMsat, description }: Wish, context: LnurlContext): Promise<Made> {
    requireWholeSats({ amountMsat });
    checkLimits(amountMsat, payRequest);
    const { pr, verify } = await requestInvoice(payRequest, amountMsat, description, context);
    const invoice = acceptInvoice(pr, { amountMsat, networks: options.networks, now: clock.now() });
    const lnbitsStatus = verify === undefined ? lnbitsStatusUrl(payRequest.callback, invoice.paymentHash) : undefined;
    return { invoice, verify, lnbitsStatus, commitment: commitment(invoice, payRequest) };
  }

  return {
    kind: 'lightning_address',

    async probe(signal) {
      const context = { outbound, allowHttp, signal };
      cached = undefined;
      const { minSats, maxSats } = wholeSats(await getPayRequest(context));
      const made = await create({ amountMsat: BigInt(minSats) * 1000n, description: '' }, context);
      const settlement = await probeSettlement(made, context);
      const notes = [...commitmentNotes[made.commitment], ...settlement.notes];
      return { settlementVisibility: settlement.visibility, minSats, maxSats, canSpend: false, notes };
    },

    async createInvoice(request, signal): Promise<CreatedInvoice> {
      const { invoice, verify, lnbitsStatus, commitment } = await create(request, { outbound, allowHttp, signal });
      const { bolt11, paymentHash, expiresAt } = invoice;
      return {
        bolt11,
        paymentHash,
        expiresAt,
        handle: { commitment, ...(verify && { verify }), ...(lnbitsStatus && { lnbitsStatus }) },
      };
    },

    lookupHost({ verify = '', lnbitsStatus = '' }) {
      const asked = String(verify || lnbitsStatus);
      return URL.canParse(asked) ? new URL(asked).host : undefined;
    },

    async lookupInvoice(request, signal) {
      const { verify, lnbitsStatus } = request.handle;
      if (typeof lnbitsStatus === 'string') return askLnbits(lnbitsStatus, request.paymentHash, outbound, signal);
      if (typeof verify !== 'string') return { state: 'unknown' };
      return verifySettlement(verify, request, { outbound, allowHttp, signal });
    },
  };
}

function checkLimits(amountMsat: bigint, { minMsat, maxMsat }: PayRequest): void {
  if (amountMsat < minMsat) throw new WalletFault('amount_out_of_range', 'The amount is below what the wallet takes.');
  if (amountMsat > maxMsat) throw new WalletFault('amount_out_of_range', 'The amount is above what the wallet takes.');
}

function wholeSats({ minMsat, maxMsat }: PayRequest): { minSats: number; maxSats: number } {
  const minSats = (minMsat + 999n) / 1000n;
  const maxSats = maxMsat / 1000n;
  if (maxSats < minSats) throw new WalletFault('protocol', 'The wallet takes no whole number of sats.');
  return { minSats: Number(minSats), maxSats: Number(maxSats) };
}

/** LNbits' lnurlp extension has no LUD-21, but its server tells the state of a payment to whoever knows the hash. */
function lnbitsStatusUrl(callback: string, paymentHash: string): string | undefined {
  const { origin, pathname } = new URL(callback);
  const base = /^(.*)\/lnurlp\/api\/v1\//.exec(pathname)?.[1];
  return base === undefined ? undefined : `${origin}${base}/api/v1/payments/${paymentHash}`;
}

async function askLnbits(
  url: string,
  paymentHash: string,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<InvoiceFact> {
  const answer = await callWallet(outbound, { url }, signal);
  if (answer.status === 404) return { state: 'unknown' };
  const { paid, preimage } = goodObject(answer);
  if (paid === false) return { state: 'pending' };
  if (paid !== true) throw new WalletFault('protocol', 'The wallet does not say whether the invoice was paid.');
  return settledFact(paymentHash, { preimage });
}

type Commitment = 'right' | 'missing' | 'other';

/** LUD-06 wants invoices to commit to the metadata. Some wallets leave it out by choice, so that it is only reported. */
function commitment({ descriptionHash }: Bolt11Invoice, { metadataHash }: PayRequest): Commitment {
  if (descriptionHash === undefined) return 'missing';
  return descriptionHash === metadataHash ? 'right' : 'other';
}

const commitmentNotes: Record<Commitment, readonly string[]> = {
  right: [],
  missing: ['Invoices of this wallet do not contain the hash of its description.'],
  other: ['Invoices of this wallet contain the hash of another description than the one it shows.'],
};

/**
 * Looks at the fresh probe invoice once, so that a verify URL that does not work is found out now rather than after a sale.
 * A wallet that calls an unpaid invoice settled cannot be believed at all.
 */
async function probeSettlement(
  made: Made,
  context: LnurlContext,
): Promise<{ visibility: WalletProbe['settlementVisibility']; notes: readonly string[] }> {
  const { verify, lnbitsStatus, invoice } = made;
  if (verify === undefined && lnbitsStatus === undefined) {
    return { visibility: 'none', notes: ['This wallet does not tell whether an invoice was paid (LUD-21).'] };
  }
  const asked =
    verify === undefined
      ? askLnbits(lnbitsStatus!, invoice.paymentHash, context.outbound, context.signal)
      : verifySettlement(verify, invoice, context);
  const fact = await asked.catch((error: unknown) => {
    if (error instanceof WalletFault && (error.kind === 'protocol' || error.kind === 'refused')) return undefined;
    throw error;
  });
  if (fact?.state === 'pending') return { visibility: 'proof', notes: [] };
  const note =
    fact?.state === 'settled'
      ? 'This wallet says that an invoice was paid when nobody paid it.'
      : 'This wallet gives no usable answer when asked whether an invoice was paid (LUD-21).';
  return { visibility: 'none', notes: [note] };
}
