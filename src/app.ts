import type { FastifyInstance } from 'fastify';
import { statement } from './db/database.ts';
import type { Parts } from './flows/parts.ts';
import { operations } from './resources/index.ts';
import { addDocumentRoute } from './surfaces/http/document-route.ts';
import { addMetricsRoute } from './surfaces/http/metrics-route.ts';
import { buildServer } from './surfaces/http/server.ts';
import { addMcpEndpoint } from './surfaces/mcp/mcp-routes.ts';
import { addOauth } from './surfaces/oauth/oauth-routes.ts';
import { addDocs } from './surfaces/openapi/docs-page.ts';
import { addPayPages } from './surfaces/pay/pay-pages.ts';
import { addPeoplePages } from './surfaces/people/people-pages.ts';
import { addSubscriptionPages } from './surfaces/subscriptions/customer-routes.ts';
import { addUserLinkPages } from './surfaces/user-links/user-link-pages.ts';

const ping = statement('ping', 'select 1 as alive');

interface AppOptions {
  /** Whose forwarded headers count. */
  trustProxy?: boolean | string[];
  /** Who may read `/metrics`; undefined: only this machine, where the service is for it alone. */
  metricsToken?: string | undefined;
  /** Origins whose web pages may use MCP with a secret key, besides the service's own. */
  mcpAllowedOrigins?: readonly string[];
}

/** The whole request handler. No port is opened: tests inject, `server.ts` listens. */
export async function buildApp(parts: Parts, options: AppOptions = {}): Promise<FastifyInstance> {
  const { trustProxy = false, metricsToken, mcpAllowedOrigins: allowedOrigins = [] } = options;
  const app = buildServer({ parts, operations, trustProxy });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await parts.db.maybeOne(ping);
      return { status: 'ready' };
    } catch (error) {
      parts.log.warn({ err: error }, 'not ready: the database does not answer');
      return reply.code(503).send({ status: 'database_unavailable' });
    }
  });
  addMetricsRoute(app, parts, metricsToken);
  addDocs(app, parts.links, operations);
  addSubscriptionPages(app, parts);
  addPayPages(app, parts);
  addPeoplePages(app, parts);
  addUserLinkPages(app, parts);
  addMcpEndpoint(app, parts, operations, { allowedOrigins });
  addOauth(app, parts);
  addDocumentRoute(app, parts);
  return app;
}
