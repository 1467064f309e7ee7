/**
 * The one expression for an invoice's status; shapes, filters and transitions all read it, so they can't disagree.
 * @param invoices the table's alias. @param now the placeholder that holds business time, such as `$1`.
 */
export function invoiceStatusSql(invoices: string, now: string): string {
  return `case when ${invoices}.paid_at is not null then 'paid'
               when ${invoices}.superseded_at is not null or ${invoices}.expires_at <= ${now}::timestamptz then 'expired'
               else 'pending' end`;
}
