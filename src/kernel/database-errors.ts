/**
 * The database cannot be reached, has no turn for us in time, or ended the connection that a statement ran on: whoever
 * tries again soon may fare better. A transaction that ends so has changed nothing.
 */
export class DatabaseUnavailable extends Error {
  /** SQLSTATE or the system's code, where the cause has one. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super('The database cannot be used at the moment; try again in a few seconds.', { cause });
    this.name = 'DatabaseUnavailable';
    this.code = (cause as { code?: string } | undefined)?.code;
  }
}

/** The connection broke while committing and nobody could say how it ended. The same call may be sent again. */
export class UnknownOutcome extends Error {
  constructor(cause: unknown) {
    super('The database did not say whether the change was committed', { cause });
    this.name = 'UnknownOutcome';
  }
}
