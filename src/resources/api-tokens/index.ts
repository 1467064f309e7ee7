import { createApiToken } from './create-api-token.ts';
import { getApiTokenUsage } from './get-api-token-usage.ts';
import { listApiTokens } from './list-api-tokens.ts';
import { revokeApiToken } from './revoke-api-token.ts';
import { rollApiToken } from './roll-api-token.ts';
import { updateApiToken } from './update-api-token.ts';

export const apiTokenOperations = [
  listApiTokens,
  createApiToken,
  updateApiToken,
  rollApiToken,
  revokeApiToken,
  getApiTokenUsage,
];
