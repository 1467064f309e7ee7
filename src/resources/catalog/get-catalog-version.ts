import { catalogVersionSchema, toCatalogVersion } from '../../model/catalog.ts';
import { json, operation } from '../../operation/operation.ts';
import { findCatalogVersion } from '../../store/catalog-versions.ts';

export const getCatalogVersion = operation({
  name: 'get_catalog_version',
  summary: 'Show how new the catalog is',
  description: 'The version rises with every change; read the catalog again when it differs from yours.',
  method: 'GET',
  path: '/api/v1/m/catalog/version',
  access: { permission: 'catalog:read', publishable: true },
  answer: json(catalogVersionSchema),
  tool: {
    description: 'See whether the catalog has changed since you read it, without reading it again.',
  },
  async run(call) {
    return toCatalogVersion(call.scope.livemode, await findCatalogVersion(call.db, call.scope));
  },
});
