import { verifyAccessToken } from './verify-access-token.ts';
import { verifyPublicAccessToken } from './verify-public-access-token.ts';

export const accessOperations = [verifyAccessToken, verifyPublicAccessToken];
