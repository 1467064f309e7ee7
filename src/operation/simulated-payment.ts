import { simulatePayment } from '../flows/simulate-payment.ts';
import {
  simulatedPayerInput,
  simulatedPaymentSchema,
  toPayer,
  toSimulatedPayment,
} from '../model/simulated-payment.ts';
import { type Call, json, type Operation, operation } from './operation.ts';

interface SimulatedPayment {
  name: string;
  summary: string;
  /** With `{id}`, the id of `resource`. */
  path: string;
  resource: string;
  permission: 'orders:write' | 'payments:write';
  /** @throws {AppError} 404 */
  findInvoiceId(call: Call, id: string): Promise<string>;
}

/** Declares an operation that pays a test invoice of the simulated wallet, as often as one likes, once. */
export function simulatedPayment({ permission, resource, findInvoiceId, ...declared }: SimulatedPayment): Operation {
  return operation({
    ...declared,
    description: 'Test keys only. Answers the payment; paying again answers the same one.',
    method: 'POST',
    access: { permission, testOnly: true },
    params: { id: resource },
    body: simulatedPayerInput,
    answer: json(simulatedPaymentSchema),
    fails: ['not_found', 'wallet_unavailable'],
    tool: false,
    // It settles in transactions of its own, as the watcher does.
    idempotency: 'wallet',
    steps: {
      async prepare(call, { params, body }) {
        return { invoiceId: await findInvoiceId(call, params.id!), payer: toPayer(body) };
      },
      async ask(call, { invoiceId, payer }) {
        return simulatePayment(call.parts, call.scope, invoiceId, payer, call.signal);
      },
      async commit(_call, _frozen, outcome) {
        return toSimulatedPayment(outcome);
      },
    },
  });
}
