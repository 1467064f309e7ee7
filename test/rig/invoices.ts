/** BOLT11 strings made and read by LDK: for the node itself, and as a second opinion on the application's own codec. */
import * as ldk from 'lightningdevkit';
import { describeLdkError, fromHex, toHex } from './ldk.ts';

export interface NewInvoice {
  /** Millisatoshi; null lets the payer choose. */
  readonly amountMsat: bigint | null;
  /** Plain text; ignored when there is a hash. Default empty. */
  readonly description?: string;
  /** 64 hex characters: SHA-256 of a text agreed elsewhere (LUD-06: the metadata string). */
  readonly descriptionHash?: string;
  /** Default 3600. */
  readonly expirySeconds?: number;
}

export interface MadeInvoice {
  /** Lower case, prefix `lnbcrt`. */
  readonly bolt11: string;
  /** 64 lower-case hex characters. */
  readonly paymentHash: string;
}

export function makeInvoice(manager: ldk.ChannelManager, wanted: NewInvoice): MadeInvoice {
  const made = manager.create_bolt11_invoice(
    wanted.amountMsat === null
      ? ldk.Option_u64Z.constructor_none()
      : ldk.Option_u64Z.constructor_some(wanted.amountMsat),
    descriptionOf(wanted),
    ldk.Option_u32Z.constructor_some(wanted.expirySeconds ?? 3600),
    ldk.Option_u16Z.constructor_none(),
    ldk.Option_ThirtyTwoBytesZ.constructor_none(),
  );
  if (made instanceof ldk.Result_Bolt11InvoiceSignOrCreationErrorZ_OK) {
    return { bolt11: made.res.to_str(), paymentHash: toHex(made.res.payment_hash()) };
  }
  const { err } = made as ldk.Result_Bolt11InvoiceSignOrCreationErrorZ_Err;
  throw new Error(`LDK made no invoice: ${describeLdkError(err)}`);
}

function descriptionOf({ description = '', descriptionHash }: NewInvoice): ldk.Bolt11InvoiceDescription {
  if (descriptionHash !== undefined) {
    const hash = ldk.Sha256.constructor_from_bytes(fromHex(descriptionHash));
    return ldk.Bolt11InvoiceDescription.constructor_hash(hash);
  }
  const text = ldk.Description.constructor_new(description);
  // BOLT 11 counts 639 bytes at most.
  if (!(text instanceof ldk.Result_DescriptionCreationErrorZ_OK)) throw new Error('description too long for BOLT 11');
  return ldk.Bolt11InvoiceDescription.constructor_direct(text.res);
}

export function parseInvoice(bolt11: string): ldk.Bolt11Invoice | undefined {
  const parsed = ldk.Bolt11Invoice.constructor_from_str(bolt11);
  return parsed instanceof ldk.Result_Bolt11InvoiceParseOrSemanticErrorZ_OK ? parsed.res : undefined;
}

interface ReadInvoice {
  readonly amountMsat: bigint | null;
  readonly paymentHash: string;
  /** From the invoice's own timestamp, whole seconds. */
  readonly createdAt: Date;
  readonly expirySeconds: number;
  /** Compressed public key, 66 hex characters. */
  readonly payee: string;
  /** Whether the invoice's description hash is this one (64 hex characters); LDK compares but does not show it. */
  commitsTo(descriptionHash: string): boolean;
}

/** Reads an invoice with LDK, signature check included; undefined when LDK refuses it. Needs a started rig. */
export function readInvoice(bolt11: string): ReadInvoice | undefined {
  const invoice = parseInvoice(bolt11);
  if (invoice === undefined) return undefined;
  const amount = invoice.amount_milli_satoshis();
  return {
    amountMsat: amount instanceof ldk.Option_u64Z_Some ? amount.some : null,
    paymentHash: toHex(invoice.payment_hash()),
    createdAt: new Date(Number(invoice.duration_since_epoch()) * 1000),
    expirySeconds: Number(invoice.expiry_time()),
    payee: toHex(invoice.get_payee_pub_key()),
    commitsTo: (descriptionHash) => {
      const committed = invoice.into_signed_raw().raw_invoice().description_hash();
      // Declared as boolean, but the WASM build answers 0 or 1.
      return Boolean(committed.eq(ldk.Sha256.constructor_from_bytes(fromHex(descriptionHash))));
    },
  };
}
