import { notFound } from '../../kernel/errors.ts';
import { eventSchema, toEvent } from '../../model/event.ts';
import { json, operation } from '../../operation/operation.ts';
import { findEvent } from '../../store/events.ts';

export const getEvent = operation({
  name: 'get_event',
  summary: 'Show an event',
  method: 'GET',
  path: '/api/v1/m/events/{id}',
  access: { permission: 'webhooks:read' },
  params: { id: 'Event' },
  textParams: ['id'],
  answer: json(eventSchema),
  fails: ['not_found'],
  tool: false,
  async run(call, { params }) {
    const event = await findEvent(call.db, call.scope, params.id!);
    if (!event) throw notFound('Event');
    return toEvent(event);
  },
});
