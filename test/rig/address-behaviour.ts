/** How a lightning address server of the rig behaves. Every field may be changed while it runs. */
export interface AddressBehaviour {
  /** Whether the callback answers with a LUD-21 `verify` URL. Default true. */
  verify: boolean;
  /** `drop` cuts every connection without a word; `hang` accepts and never answers. Default `none`. */
  outage: 'none' | 'drop' | 'hang';
  /** Pause before each answer, milliseconds. Default 0. */
  delayMs: number;
  /** Limits told to payers and kept by the callback, millisatoshi. Default 1 sat to 10 000 000 sat. */
  minSendableMsat: bigint;
  maxSendableMsat: bigint;
  /** Longest comment in characters (LUD-12); 0 leaves the field out. Default 140. */
  commentAllowed: number;
  /** Lifetime of the invoices, whatever anybody wishes. Default 900. */
  expirySeconds: number;
  /** Whether invoices commit to the metadata (LUD-06); some providers put plain text instead. Default true. */
  descriptionHash: boolean;
  /** An unpaid invoice past its expiry is answered with an error instead of `settled: false`, as Blink does. */
  expiredIsError: boolean;
  /** A query that is part of the callback URL, such as `shop=7`; the callback refuses requests that lost it. */
  callbackQuery: string;
  lies: AddressLies;
  /** Looked at first: an answer given here replaces the whole server, to play redirects, HTML, huge bodies... */
  answer: ((url: URL) => RawAnswer | undefined) | undefined;
}

/** Untruths; all off by default. */
interface AddressLies {
  /** Invoices are made out for this many millisatoshi; null: for no amount. */
  amountMsat?: bigint | null | undefined;
  /** What verify says, whatever is true. */
  settled?: boolean | undefined;
  /** What verify shows, settled or not; null hides it. */
  preimage?: string | null | undefined;
  /** Verify answers for this BOLT11 string instead of its own. */
  verifyBolt11?: string | undefined;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function honestBehaviour(): AddressBehaviour {
  return {
    verify: true,
    outage: 'none',
    delayMs: 0,
    minSendableMsat: 1_000n,
    maxSendableMsat: 10_000_000_000n,
    commentAllowed: 140,
    expirySeconds: 900,
    descriptionHash: true,
    expiredIsError: false,
    callbackQuery: '',
    lies: {},
    answer: undefined,
  };
}
