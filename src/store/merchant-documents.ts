import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { MerchantDocumentRow } from '../model/merchant-document.ts';

const columns = 'id, livemode, name, kind, content_type, size_bytes, created_at';
const inScope = 'id = $1 and merchant_id = $2 and livemode = $3';

const insert = statement(
  'merchant_documents_insert',
  `insert into merchant_documents (id, merchant_id, livemode, name, kind, content_type, size_bytes, content, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const find = statement('merchant_documents_find', `select ${columns} from merchant_documents where ${inScope}`);
const findContent = statement(
  'merchant_documents_find_content',
  `select ${columns}, content from merchant_documents where ${inScope}`,
);

export async function insertMerchantDocument(
  tx: Handle,
  merchantId: string,
  row: MerchantDocumentRow,
  content: Buffer,
): Promise<void> {
  const { id, livemode, name, kind, content_type, size_bytes, created_at } = row;
  await tx.run(insert, [id, merchantId, livemode, name, kind, content_type, size_bytes, content, created_at]);
}

export function findMerchantDocument(db: Handle, scope: Scope, id: string): Promise<MerchantDocumentRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

export function findMerchantDocumentContent(
  db: Handle,
  scope: Scope,
  id: string,
): Promise<(MerchantDocumentRow & { content: Buffer }) | undefined> {
  return db.maybeOne(findContent, [id, scope.merchantId, scope.livemode]);
}

/** Newest first. */
export function listMerchantDocuments(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<MerchantDocumentRow>> {
  return listPage<MerchantDocumentRow>(
    db,
    {
      select: `select ${columns} from merchant_documents`,
      countFrom: 'from merchant_documents',
      where: 'merchant_id = $1 and livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: { name: 'name', kind: 'kind', created_at: 'created_at' },
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}
