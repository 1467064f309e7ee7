import { listAuditLog } from './list-audit-log.ts';

export const auditLogOperations = [listAuditLog];
