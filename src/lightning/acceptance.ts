import { addSeconds } from '../kernel/clock.ts';
import { type Bolt11Invoice, decodeBolt11 } from './bolt11.ts';
import { Bolt11Error, type Network } from './bolt11-format.ts';
import { WalletFault } from './connector.ts';

interface AcceptanceTerms {
  /** Exactly what was asked. */
  readonly amountMsat: bigint;
  readonly networks: readonly Network[];
  readonly now: Date;
}

/** A payer needs this much time at least. */
const minimumSecondsLeft = 30;
/** How far the clock of a wallet may be ahead of ours. */
const maximumSecondsAhead = 120;

/** Live money is `lnbc` only; test mode takes every test network and never `lnbc`. */
export function acceptedNetworks(livemode: boolean): readonly Network[] {
  return livemode ? ['mainnet'] : ['regtest', 'testnet', 'signet'];
}

/**
 * The check that every invoice of every wallet passes before anybody sees it: decodes, right network, exactly the amount
 * asked, not from the future, enough time left. That a payment hash was never seen before is for the database to say.
 * Throws `WalletFault` of kind `bad_invoice`.
 */
export function acceptInvoice(text: unknown, terms: AcceptanceTerms): Bolt11Invoice {
  const invoice = decode(text);
  const { amountMsat, network, timestamp, expiresAt } = invoice;
  if (!terms.networks.includes(network)) {
    throw refuse(`The wallet gave an invoice for ${network}, which is not accepted here.`);
  }
  if (amountMsat === null) throw refuse('The wallet gave an invoice without an amount.');
  if (amountMsat !== terms.amountMsat) {
    throw refuse(`The wallet gave an invoice for ${amountMsat} msat when asked for ${terms.amountMsat} msat.`);
  }
  if (timestamp > addSeconds(terms.now, maximumSecondsAhead)) {
    throw refuse('The wallet gave an invoice dated in the future.');
  }
  if (expiresAt < addSeconds(terms.now, minimumSecondsLeft)) {
    throw refuse('The wallet gave an invoice that has expired or is about to.');
  }
  return invoice;
}

function decode(text: unknown): Bolt11Invoice {
  if (typeof text !== 'string') throw refuse('The wallet gave no invoice.');
  try {
    return decodeBolt11(text);
  } catch (error) {
    if (!(error instanceof Bolt11Error)) throw error;
    throw refuse(`The wallet gave an invoice that cannot be read. ${error.message}`);
  }
}

function refuse(message: string): WalletFault {
  return new WalletFault('bad_invoice', message);
}
