import type { Authenticator } from '../auth/authenticate.ts';
import type { Database } from '../db/database.ts';
import type { AccessKeys } from '../entitlements/access-keys.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Mailer } from '../kernel/mailer.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { Outbound } from '../kernel/outbound.ts';
import type { Sealer } from '../kernel/secrets.ts';
import type { PasswordTurns } from '../limits/password-turns.ts';
import type { PublicQuota } from '../limits/public-quota.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { SharedTries } from '../limits/shared-tries.ts';
import type { StreamSlots } from '../limits/stream-slots.ts';
import type { Usage } from '../limits/usage.ts';
import type { VisitorPace } from '../limits/visitor-pace.ts';
import type { VisitorPlaces } from '../limits/visitor-places.ts';
import type { Rates } from '../rates/rate.ts';
import type { WalletRuntime } from '../wallets/runtime.ts';
import type { ToolCallLog } from './tool-call-log.ts';

/** What the process is built from; made once in `build-parts.ts` and handed to every flow and operation. */
export interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sealer: Sealer;
  readonly rates: RatesByMode;
  readonly wallets: WalletRuntime;
  /** The way out to endpoints, apart from that to wallets and markets: neither waits for the other's sockets. */
  readonly endpoints: Outbound;
  /** Of merchants' servers. */
  readonly streams: StreamSlots;
  /** Of payers: strangers never take the places of merchants. */
  readonly payerStreams: StreamSlots;
  readonly publicQuota: PublicQuota;
  readonly visitorPace: VisitorPace;
  readonly visitorPlaces: VisitorPlaces;
  readonly metrics: Metrics;
  readonly usage: Usage;
  readonly toolCalls: ToolCallLog;
  readonly rateLimiter: RateLimiter;
  readonly passwordTurns: PasswordTurns;
  readonly signInTries: { readonly byAccount: SharedTries; readonly byAddress: SharedTries };
  /** Preimages shown for a checkout. */
  readonly preimageTries: SharedTries;
  /** Links for forgotten passwords that were asked for. */
  readonly linkTries: { readonly byAccount: SharedTries; readonly byAddress: SharedTries };
  readonly authenticator: Authenticator;
  readonly accessKeys: AccessKeys;
  readonly links: Links;
  /** Undefined where no mail server is set: nothing is written to anybody then. */
  readonly mailer: Mailer | undefined;
  /**
   * Aborts when the process stops. A client that goes away aborts nothing: its call still ends in a defined state.
   */
  readonly stopping: AbortSignal;
  /** Hold every answer, errors included, to what its operation declares: on in tests and development. */
  readonly strictAnswers: boolean;
}

/** Test mode may run on a fixed exchange rate while live mode asks the world. */
export interface RatesByMode {
  readonly live: Rates;
  readonly test: Rates;
}

export function ratesOf({ live, test }: RatesByMode, livemode: boolean): Rates {
  return livemode ? live : test;
}

/** Public addresses, from configuration and never from a request header. */
export interface Links {
  readonly publicUrl: string;
  readonly payUrl: string;
}
