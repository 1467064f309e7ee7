import { getEvent } from './get-event.ts';
import { listEvents } from './list-events.ts';
import { streamEvents } from './stream-events.ts';

export const eventOperations = [listEvents, streamEvents, getEvent];
