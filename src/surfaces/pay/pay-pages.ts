import formBody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import { admitVisitors } from '../pages/admit-visitors.ts';
import { compressPages } from '../pages/compress-pages.ts';
import { showFailures } from '../pages/show-failures.tsx';
import { addCheckoutPages } from './checkout-routes.ts';
import { addPaymentLinkPages } from './link-routes.ts';
import { addReceiptPages } from './receipt-routes.ts';
import { addEmbedScripts } from './script-routes.ts';

/** Everything that payers see. Only here may a body be an HTML form. */
export function addPayPages(app: FastifyInstance, parts: Parts): void {
  app.register(async (pages) => {
    await pages.register(formBody, { bodyLimit: 16 * 1024 });
    admitVisitors(pages, parts);
    showFailures(pages);
    pages.addHook('onSend', compressPages);
    addCheckoutPages(pages, parts);
    addPaymentLinkPages(pages, parts);
    addReceiptPages(pages, parts);
    addEmbedScripts(pages);
  });
}
