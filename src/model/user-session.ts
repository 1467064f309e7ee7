/** What a sign-in is for: the API, the pages, or only the step between a right password and the second factor. */
export type SessionKind = 'api' | 'web' | 'code';

/** How long each kind lives at most. */
export const sessionLifeSeconds: Readonly<Record<SessionKind, number>> = { api: 12 * 3600, web: 24 * 3600, code: 300 };
/** A browser that nobody used for so long is signed out before its time. */
export const webIdleSeconds = 2 * 3600;
/** Use is written down once in so long, not with every request. */
export const useNotedEverySeconds = 60;

/** One of somebody's sign-ins that still counts. */
export interface UserSession {
  id: string;
  kind: 'api' | 'web';
  device: string | null;
  created_at: Date;
  last_used_at: Date;
}
