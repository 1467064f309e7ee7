import { type Static, Type } from 'typebox';
import type { SimulatorSettings } from './connection.ts';
import { inputObject, nullable, optional } from './fields.ts';

const texts = {
  fail: 'Every call to it fails, as if it were offline',
  delay: 'Milliseconds that every call to it takes',
  hold: 'A payment of its invoices is on its way and does not arrive',
  payAfter: 'Seconds after which its invoices pay themselves; null: never',
} as const;
/** Longer than anybody waits for a wallet. */
export const longestDelayMillis = 60_000;
export const longestPayAfterSeconds = 24 * 3600;

export const simulationSchema = Type.Object(
  {
    fail: Type.Boolean({ description: texts.fail }),
    delay_ms: Type.Integer({ description: texts.delay }),
    hold: Type.Boolean({ description: texts.hold }),
    pay_after_seconds: nullable(Type.Integer({ description: texts.payAfter })),
  },
  { description: 'What the simulated wallet of test mode does; other wallets have none' },
);
type Simulation = Static<typeof simulationSchema>;

export const simulationInput = inputObject({
  fail: optional(Type.Boolean({ description: texts.fail })),
  delay_ms: optional(Type.Integer({ minimum: 0, maximum: longestDelayMillis, description: texts.delay })),
  hold: optional(Type.Boolean({ description: texts.hold })),
  pay_after_seconds: optional(
    Type.Integer({ minimum: 0, maximum: longestPayAfterSeconds, description: texts.payAfter }),
  ),
});
export type SimulationWishes = Static<typeof simulationInput>;

export function toSimulation({ fail, delayMs, hold, payAfterSeconds }: SimulatorSettings): Simulation {
  return {
    fail: fail ?? false,
    delay_ms: delayMs ?? 0,
    hold: hold ?? false,
    pay_after_seconds: payAfterSeconds ?? null,
  };
}

/** What is left out stays as it is; null does, too, but for `pay_after_seconds`, which it ends. */
export function changedSettings(before: SimulatorSettings, sent: SimulationWishes): SimulatorSettings {
  const { payAfterSeconds: paidAfter, ...others } = before;
  const payAfterSeconds = sent.pay_after_seconds === undefined ? paidAfter : sent.pay_after_seconds;
  return {
    ...others,
    ...(sent.fail == null ? {} : { fail: sent.fail }),
    ...(sent.delay_ms == null ? {} : { delayMs: sent.delay_ms }),
    ...(sent.hold == null ? {} : { hold: sent.hold }),
    ...(payAfterSeconds == null ? {} : { payAfterSeconds }),
  };
}
