import { readCatalog } from '../../flows/read-catalog.ts';
import { catalogSchema } from '../../model/catalog.ts';
import { operation, taggedJson } from '../../operation/operation.ts';

export const getCatalog = operation({
  name: 'get_catalog',
  summary: 'Show everything that is for sale',
  description:
    'Product types by position with their active products; products without a type come last. The answer has an ETag: ' +
    'send it back in `If-None-Match` to learn whether anything changed.',
  method: 'GET',
  path: '/api/v1/m/catalog',
  access: { permission: 'catalog:read', publishable: true },
  answer: taggedJson(catalogSchema),
  tool: {
    description: 'Get everything that is for sale at once: product types with their products, taxes and discounts.',
  },
  // A code of a discount is for those who were given it; a publishable key stands in every shop page.
  run: ({ parts, scope, caller }) =>
    readCatalog(parts.db, {
      merchantId: scope.merchantId,
      livemode: scope.livemode,
      payUrl: parts.links.payUrl,
      withCodes: caller.kind !== 'publishable',
    }),
});
