import { getCatalog } from './get-catalog.ts';
import { getCatalogVersion } from './get-catalog-version.ts';

export const catalogOperations = [getCatalog, getCatalogVersion];
