import { randomBytes } from 'node:crypto';
import { ManualClock } from '../../src/kernel/clock.ts';
import { type SimulatedPayment, simulatedConnector } from '../../src/lightning/adapters/simulated.ts';
import type { SimulatorSettings } from '../../src/model/connection.ts';
import { describeConnector } from './connector-contract.ts';

describeConnector('simulated', async () => {
  const clock = new ManualClock();
  const payments = new Map<string, SimulatedPayment>();
  const settings: { -readonly [K in keyof SimulatorSettings]: SimulatorSettings[K] } = {};
  return {
    connector: simulatedConnector({
      secret: randomBytes(32),
      settings,
      book: { find: async (paymentHash) => payments.get(paymentHash) },
      clock,
    }),
    clock,
    networks: ['regtest'],
    pay(paymentHash, { preimage }) {
      payments.set(paymentHash, { settlesAt: clock.now(), receivedMsat: null, withPreimage: preimage, held: false });
    },
    setWallet(state) {
      settings.fail = state === 'failing';
      settings.delayMs = state === 'hanging' ? 60_000 : 0;
    },
    close: async () => {},
  };
});
