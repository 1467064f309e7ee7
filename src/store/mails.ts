import { type Handle, statement } from '../db/database.ts';

export interface ClaimedMail {
  readonly id: string;
  readonly sealed: Buffer;
  /** This one included. */
  readonly tries: number;
}

const insert = statement(
  'mails_insert',
  `insert into mails (id, merchant_id, sealed, state, next_try_at, created_at) values ($1, $2, $3, 'waiting', $4, $4)`,
);
const claim = statement(
  'mails_claim',
  `with due as (
     select id from mails
      where state = 'waiting' and next_try_at <= $1 and (lease_until is null or lease_until <= clock_timestamp())
      order by next_try_at limit $2 for update skip locked
   )
   update mails set lease_until = clock_timestamp() + make_interval(secs => $3), tries = tries + 1
     from due where mails.id = due.id
   returning mails.id, mails.sealed, mails.tries`,
);
const end = statement(
  'mails_end',
  `update mails set state = $2, sealed = null, lease_until = null, ended_at = $3, last_error = $4
    where id = $1 and state = 'waiting'`,
);
const putOff = statement(
  'mails_put_off',
  `update mails set next_try_at = $2, lease_until = null, last_error = $3 where id = $1 and state = 'waiting'`,
);
const rewrite = statement('mails_rewrite', `update mails set sealed = $2 where id = $1 and state = 'waiting'`);
const removeOld = statement('mails_delete_old', 'delete from mails where ended_at < $1');

/** @param sealed recipient, subject and text, or what they are made of. */
export async function insertMail(
  tx: Handle,
  mail: { id: string; merchantId: string | null; sealed: Buffer },
  now: Date,
): Promise<void> {
  await tx.run(insert, [mail.id, mail.merchantId, mail.sealed, now]);
}

/** Takes mails that are due for so long; whoever dies with them gives them back with the lease. */
export function claimMails(db: Handle, now: Date, limit: number, leaseSeconds: number): Promise<ClaimedMail[]> {
  return db.many(claim, [now, limit, leaseSeconds]);
}

/** The mail is sent, or never will be; what it said is forgotten. */
export async function endMail(
  db: Handle,
  id: string,
  state: 'sent' | 'failed',
  now: Date,
  error: string | null = null,
): Promise<void> {
  await db.run(end, [id, state, now, error]);
}

export async function putMailOff(db: Handle, id: string, nextTryAt: Date, error: string): Promise<void> {
  await db.run(putOff, [id, nextTryAt, error]);
}

/** Puts another content in the place of a waiting mail's. @returns false when it waits no more. */
export async function rewriteMail(tx: Handle, id: string, sealed: Buffer): Promise<boolean> {
  return (await tx.run(rewrite, [id, sealed])) === 1;
}

/** Removes what ended before. @returns how many. */
export function deleteOldMails(db: Handle, before: Date): Promise<number> {
  return db.run(removeOld, [before]);
}
