import { text, timestamp, word } from '../../kernel/filters.ts';
import { auditActors, auditEntrySchema, toAuditEntry } from '../../model/audit-entry.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listAuditEntries } from '../../store/audit-log.ts';

export const listAuditLog = operation({
  name: 'list_audit_log',
  summary: 'List who changed keys, wallets, webhooks, people and settings, newest first',
  description:
    'Entries name what was changed and never hold secrets. Each one’s hash covers the one before; `satline audit-log verify` checks the chain.',
  method: 'GET',
  path: '/api/v1/m/audit_log',
  access: { permission: 'merchant:read' },
  query: { paged: true, filters: { action: text, actor: word(...auditActors), created_at: timestamp } },
  answer: listOf(auditEntrySchema),
  tool: false,
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listAuditEntries(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map((row) => toAuditEntry(row, call.scope.livemode)), totalCount } };
  },
});
