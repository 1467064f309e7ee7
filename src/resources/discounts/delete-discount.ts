import { removal } from '../../operation/removal.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { deleteDiscount as remove } from '../../store/discounts.ts';

export const deleteDiscount = removal({
  name: 'delete_discount',
  summary: 'Remove a discount; sales keep what they were made with',
  path: '/api/v1/m/discounts/{id}',
  resource: 'Discount',
  permission: 'catalog:write',
  async remove({ db, scope, now }, id) {
    await advanceCatalog(db, scope, now);
    return remove(db, scope, id);
  },
});
