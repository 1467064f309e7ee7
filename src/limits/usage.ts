import type { Database } from '../db/database.ts';
import { addApiKeyUsage } from '../store/api-keys.ts';
import { noteConnectionUse } from '../store/oauth-connections.ts';

interface Count {
  requests: number;
  lastAt: Date;
}

/**
 * Requests per API key, and when OAuth connections were used last, counted in memory and written in batches: no request
 * waits for its own count.
 */
export interface Usage {
  /** For every request that a key or connection was let in with, whatever came of it. */
  count(credentialId: string, requests: number, now: Date): void;
  /** What this process has counted and not written yet. */
  pending(apiKeyId: string): Count | undefined;
  /** Writes what was counted. What cannot be written is kept for the next time. */
  flush(): Promise<void>;
}

export function createUsage(db: Database): Usage {
  let counts = new Map<string, Count>();

  function add(credentialId: string, requests: number, lastAt: Date): void {
    const known = counts.get(credentialId);
    if (known) {
      known.requests += requests;
      if (lastAt.getTime() > known.lastAt.getTime()) known.lastAt = lastAt;
    } else counts.set(credentialId, { requests, lastAt });
  }

  return {
    count: add,
    pending: (apiKeyId) => counts.get(apiKeyId),
    async flush() {
      if (counts.size === 0) return;
      const batch = counts;
      counts = new Map();
      try {
        const uses = [...batch].map(([id, { requests, lastAt }]) => ({ id, requests, lastAt }));
        // First what may be repeated: what fails here is written again.
        await noteConnectionUse(db, uses);
        await addApiKeyUsage(db, uses);
      } catch (error) {
        for (const [id, { requests, lastAt }] of batch) add(id, requests, lastAt);
        throw error;
      }
    },
  };
}
