import { recordAudit } from '../flows/record-audit.ts';
import type { Call, Operation, OperationInput } from './operation.ts';

/** An operation that writes into the audit log what it changed, in its own transaction and after everything else. */
export function withAudit(operation: Operation): Operation {
  const { run, steps } = operation;
  const record = async (call: Call, subjectId: string | undefined, value: unknown) => {
    await recordAudit(call.db, {
      merchant_id: call.scope.merchantId,
      livemode: call.scope.livemode,
      actor: 'api_token',
      api_key_id: call.caller.credentialId,
      action: operation.name,
      subject_id: subjectId ?? (value as { id?: string } | undefined)?.id ?? null,
      request_id: call.requestId,
      created_at: call.now,
    });
    return value;
  };
  const subjectOf = ({ params }: OperationInput) => params.id ?? params.product_id;
  return {
    ...operation,
    run: run && (async (call, input) => record(call, subjectOf(input), await run(call, input))),
    // What is made in steps is new: its id is in the answer.
    steps: steps && {
      ...steps,
      commit: async (call, frozen, fact) => record(call, undefined, await steps.commit(call, frozen, fact)),
    },
  };
}
