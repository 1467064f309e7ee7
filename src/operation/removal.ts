import type { Permission } from '../kernel/context.ts';
import { notFound } from '../kernel/errors.ts';
import { type Call, empty, type Operation, operation, type ToolDeclaration } from './operation.ts';

interface Removal {
  name: string;
  summary: string;
  description?: string;
  /** With `{id}`, the id of `resource`. */
  path: string;
  resource: string;
  permission: Permission;
  tool?: ToolDeclaration;
  audit?: true;
  /** @returns false when the caller has no such thing. */
  remove(call: Call, id: string): Promise<boolean>;
}

/** Declares an operation that takes something away: 204, and 404 for what is not the caller's. */
export function removal({ permission, resource, tool, remove, ...declared }: Removal): Operation {
  return operation({
    ...declared,
    method: 'DELETE',
    status: 204,
    access: { permission },
    params: { id: resource },
    answer: empty,
    fails: ['not_found'],
    tool: tool ?? false,
    idempotency: 'database',
    async run(call, { params }) {
      if (!(await remove(call, params.id!))) throw notFound(resource);
    },
  });
}
