import { Type } from 'typebox';
import { livemode, objectName, timestamp } from './fields.ts';

/** How long events can be read and sent again. */
export const eventsKeptDays = 90;
/** How long it is known what became of each on its way to an endpoint. */
export const deliveriesKeptDays = 30;

export interface EventRow {
  id: string;
  kind: string;
  /** The bytes that webhooks get. */
  body: string;
  created_at: Date;
  /** Where it stands in the order of reading: transaction, then number. */
  xid: string;
  seq: number;
}

export const eventSchema = Type.Object(
  {
    object: objectName('event'),
    livemode,
    id: Type.String({ description: 'Event, `evt_…`' }),
    type: Type.String({ description: 'Kind of the event' }),
    event: Type.String({ description: 'The same, under the name that webhook bodies use' }),
    created_at: timestamp('When it happened'),
    data: Type.Optional(Type.Unsafe<unknown>({ description: 'The object as it was then' })),
  },
  // Kinds with a flat body have their members here instead of in `data`.
  { description: 'Something that happened', additionalProperties: true },
);

/** An event as lists show it: the webhook's body with `object` and `type` beside it. */
export function toEvent(row: EventRow): Record<string, unknown> {
  const body = JSON.parse(row.body) as Record<string, unknown>;
  return { object: 'event', type: row.kind, ...body };
}

/**
 * A place between events from which reading goes on without a gap. It belongs to the database it came from: another one
 * counts its transactions anew.
 */
export interface EventPosition {
  /** Number of the transaction, as text: it may be beyond 2^53. */
  readonly xid: string;
  readonly seq: number;
}

const positionShape = /^pos_(\d{1,19})_(\d{1,16})$/;

export function formatPosition({ xid, seq }: EventPosition): string {
  return `pos_${xid}_${seq}`;
}

/** @returns undefined when the text is no position. */
export function parsePosition(text: string): EventPosition | undefined {
  const match = positionShape.exec(text);
  return match ? { xid: match[1]!, seq: Number(match[2]) } : undefined;
}
