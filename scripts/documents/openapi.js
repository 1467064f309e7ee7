import { readConfig } from '#product/config.js';
import { operations } from '#product/resources/index.js';
import { openApiDocument } from '#product/surfaces/openapi/document.js';

/** The OpenAPI document a server with the default configuration serves at `/api/v1/openapi.json`. */
export function openApiFile(command) {
  const document = openApiDocument(operations, readConfig({}).publicUrl);
  return `${JSON.stringify({ 'x-generated-by': command, ...document }, null, 2)}\n`;
}
