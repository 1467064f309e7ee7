import { hash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { addSeconds, type Clock } from '../kernel/clock.ts';
import type { Sealer } from '../kernel/secrets.ts';
import { findTextFault } from '../kernel/text.ts';
import { refreshLeewaySeconds } from '../model/oauth-connection.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import {
  consumeOauthArtifact,
  deleteOauthArtifact,
  findConnectionOfArtifact,
  findOauthArtifact,
  putOauthArtifact,
} from '../store/oauth-artifacts.ts';
import { findOauthClient, putOauthClient } from '../store/oauth-clients.ts';

/** What the authorization server keeps of an artifact; the members that are looked at here. */
interface ArtifactPayload {
  jti?: string;
  grantId?: string;
  clientId?: string;
  scope?: string;
  aud?: string | string[];
  consumed?: unknown;
  [member: string]: unknown;
}

interface OauthAdapterParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** A connection is over: its client gave it up, or something was used twice that may be used once. */
  endConnection(id: string): Promise<void>;
  /** The error for a code that another request was faster with. */
  alreadyUsed(): Error;
}

/**
 * Where oidc-provider keeps its artifacts, for any number of processes on one database. A token is found by its SHA-256
 * and everything else about it is sealed, so that no row lets anybody in. Time is business time.
 */
export function createOauthAdapter(parts: OauthAdapterParts) {
  return (model: string) => (model === 'Client' ? clientAdapter(parts) : artifactAdapter(parts, model));
}

function artifactAdapter({ db, clock, sealer, endConnection, alreadyUsed }: OauthAdapterParts, model: string) {
  // The person's sign-in is ours; the server's own session lives for one request.
  if (model === 'Session') return forgetfulAdapter;

  return {
    async upsert(id: string, payload: ArtifactPayload, expiresIn?: number): Promise<void> {
      const { jti, ...rest } = payload;
      const idHash = hashArtifactId(id);
      const now = clock.now();
      await putOauthArtifact(
        db,
        {
          model,
          idHash,
          payload: sealer.seal(JSON.stringify(rest), placeOf(model, idHash)),
          connectionId: (model === 'Grant' ? jti : payload.grantId) ?? null,
          clientId: payload.clientId ?? null,
          scope: payload.scope ?? null,
          audience: typeof payload.aud === 'string' ? payload.aud : null,
          // A grant lasts as long as its connection.
          expiresAt: expiresIn === undefined || model === 'Grant' ? null : addSeconds(now, expiresIn),
        },
        now,
      );
    },

    async find(id: string): Promise<ArtifactPayload | undefined> {
      const idHash = hashArtifactId(id);
      const now = clock.now();
      const row = await findOauthArtifact(db, model, idHash, now);
      if (!row) return undefined;
      const payload = JSON.parse(sealer.open(row.payload, placeOf(model, idHash)).toString()) as ArtifactPayload;
      const isUsedUp = row.consumed_at !== null && !(model === 'RefreshToken' && isInLeeway(row.consumed_at, now));
      return { ...payload, jti: id, ...(isUsedUp ? { consumed: true } : {}) };
    },

    /** @throws {Error} when a code was used before: of two requests at once, one wins and both lose the connection. */
    async consume(id: string): Promise<void> {
      const idHash = hashArtifactId(id);
      // The first use of a refresh token counts, however often it comes within the leeway.
      if ((await consumeOauthArtifact(db, model, idHash, clock.now())) || model === 'RefreshToken') return;
      const connectionId = await findConnectionOfArtifact(db, model, idHash);
      if (connectionId) await endConnection(connectionId);
      throw alreadyUsed();
    },

    async destroy(id: string): Promise<void> {
      if (model === 'Grant') await endConnection(id);
      else await deleteOauthArtifact(db, model, hashArtifactId(id));
    },

    revokeByGrantId: (id: string) => endConnection(id),
    findByUid: notKept,
    findByUserCode: notKept,
  };
}

function clientAdapter({ db, clock, sealer }: OauthAdapterParts) {
  const placeOfClient = (id: string) => sealedPlace('oauth_clients.metadata', id);
  return {
    ...forgetfulAdapter,
    upsert: (id: string, metadata: ArtifactPayload) =>
      putOauthClient(db, id, sealer.seal(JSON.stringify(metadata), placeOfClient(id)), clock.now()),
    async find(id: string): Promise<ArtifactPayload | undefined> {
      // Anybody may name a client, also one that no column could hold.
      if (findTextFault(id)) return undefined;
      const sealed = await findOauthClient(db, id);
      return sealed && JSON.parse(sealer.open(sealed, placeOfClient(id)).toString());
    },
  };
}

const notKept = async () => undefined;
const forgetfulAdapter = {
  upsert: notKept as (id: string, payload: ArtifactPayload, expiresIn?: number) => Promise<undefined>,
  find: notKept as (id: string) => Promise<ArtifactPayload | undefined>,
  consume: notKept,
  destroy: notKept,
  revokeByGrantId: notKept,
  findByUid: notKept,
  findByUserCode: notKept,
};

function isInLeeway(consumedAt: Date, now: Date): boolean {
  return now <= addSeconds(consumedAt, refreshLeewaySeconds);
}

/** A plain hash is enough: what clients hold has 256 random bits, and grants are no secrets. */
export function hashArtifactId(id: string): Buffer {
  return hash('sha256', id, 'buffer');
}

function placeOf(model: string, idHash: Buffer) {
  // As PostgreSQL writes bytes.
  return sealedPlace('oauth_artifacts.payload', model, `\\x${idHash.toString('hex')}`);
}
