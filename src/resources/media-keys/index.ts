import { clearOldMediaKey } from './clear-old-media-key.ts';
import { createMediaKey } from './create-media-key.ts';
import { deleteMediaKey } from './delete-media-key.ts';
import { getMediaKey } from './get-media-key.ts';
import { getMediaKeySecret } from './get-media-key-secret.ts';
import { linkMediaKey } from './link-media-key.ts';
import { linkProducts } from './link-products.ts';
import { listMediaKeys } from './list-media-keys.ts';
import { clearProductOldKey, getProductKey, rotateProductKey } from './product-key.ts';
import { rotateMediaKey } from './rotate-media-key.ts';
import { unlinkMediaKeyFromProduct, unlinkProduct } from './unlink-product.ts';
import { updateMediaKey } from './update-media-key.ts';

export const mediaKeyOperations = [
  listMediaKeys,
  createMediaKey,
  getMediaKey,
  updateMediaKey,
  deleteMediaKey,
  getMediaKeySecret,
  rotateMediaKey,
  clearOldMediaKey,
  linkProducts,
  unlinkProduct,
  linkMediaKey,
  unlinkMediaKeyFromProduct,
  getProductKey,
  rotateProductKey,
  clearProductOldKey,
];
