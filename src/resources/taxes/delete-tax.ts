import { removal } from '../../operation/removal.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { deleteTax as remove } from '../../store/taxes.ts';

export const deleteTax = removal({
  name: 'delete_tax',
  summary: 'Remove a tax',
  description: 'Product types that name it lose it; sales keep what they were made with.',
  path: '/api/v1/m/taxes/{id}',
  resource: 'Tax',
  permission: 'catalog:write',
  async remove({ db, scope, now }, id) {
    await advanceCatalog(db, scope, now);
    return remove(db, scope, id);
  },
});
