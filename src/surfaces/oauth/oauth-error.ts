/** An error in OAuth's own words (RFC 6749, 5.2; RFC 7591, 3.2.2). */
export class OauthError extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, code: string, description: string, retryAfterSeconds?: number) {
    super(description);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
