import { isLoopback } from '../../kernel/loopback.ts';

/**
 * Whose web pages may send messages with a secret key. A page that had its name pointed at this machine (DNS rebinding)
 * gives itself away by its `Origin`, which browsers set and pages cannot (MCP, Streamable HTTP, "Security Warning").
 */
interface AllowedOrigins {
  /** Service addresses, whose own pages are always allowed. */
  readonly own: readonly string[];
  /** By configuration; `*` for all. */
  readonly listed: readonly string[];
}

/** @param origin undefined for every client that is no browser. */
export function isAllowedOrigin(origin: string | undefined, { own, listed }: AllowedOrigins): boolean {
  if (origin === undefined || listed.includes('*') || listed.includes(origin.toLowerCase())) return true;
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  const service = own.map((address) => new URL(address));
  // Where the service is for this machine alone, so are the tools that developers open beside it.
  if (isLoopback(page.hostname) && service.every(({ hostname }) => isLoopback(hostname))) return true;
  return service.some((address) => address.origin === page.origin);
}
