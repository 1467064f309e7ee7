import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import { newId } from '../kernel/ids.ts';
import { largestDocumentBytes, toMerchantDocument } from '../model/merchant-document.ts';
import { insertMerchantDocument } from '../store/merchant-documents.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { fileFailure } from './file-failure.ts';
import { readId, readMediaType, readName } from './option-values.ts';

interface Options {
  merchant?: string;
  live?: true;
  name?: string;
  kind: string;
  type: string;
}

const largestDocument = `${largestDocumentBytes / 1024 / 1024} MiB`;

export function addAddDocument(group: Command): void {
  addCommand(
    group,
    'add',
    'Give a merchant a document, which the API then lists',
    'document add --live contract.pdf --kind contract --type application/pdf',
  )
    .argument('<file>', `at most ${largestDocument}; it is stored in the database`)
    .option('--merchant <id>', 'whose document; may be left out when there is one merchant', readId)
    .option('--live', 'for live keys; without it for test keys')
    .option('--name <name>', 'what to call it; the file’s name without it', readName)
    .option('--kind <kind>', 'such as invoice, contract or report', readName, 'document')
    .option('--type <type>', 'media type of the content', readMediaType, 'application/octet-stream')
    .action(
      withParts<Options>(async ({ parts }, options, file) => {
        const content = await readFile(file).catch((error) => {
          throw fileFailure(file, error);
        });
        if (content.length > largestDocumentBytes) throw new CliFailure(`${file} is larger than ${largestDocument}.`);
        const merchant = await chooseMerchant(parts.db, options.merchant);
        const row = {
          id: newId(),
          livemode: options.live === true,
          name: options.name ?? basename(file),
          kind: options.kind,
          content_type: options.type,
          size_bytes: content.length,
          created_at: parts.clock.now(),
        };
        await parts.db.transaction(async (tx) => {
          await insertMerchantDocument(tx, merchant.id, row, content);
          await recordOperatorAudit(tx, {
            merchantId: merchant.id,
            livemode: row.livemode,
            action: 'add_merchant_document',
            subjectId: row.id,
            now: row.created_at,
          });
        });
        const json = toMerchantDocument(row, parts.links.publicUrl);
        return { json, text: `${row.name} is there for ${merchant.name}, as document ${row.id}.` };
      }),
    );
}
