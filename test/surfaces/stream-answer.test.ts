import { EventEmitter, getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { goneSignal } from '../../src/surfaces/http/stream-answer.ts';

const open = () => ({ raw: new EventEmitter() as ServerResponse });

test('a stream ends with its peer, and leaves nothing tied to the process', () => {
  const stopping = new AbortController();
  const closing = new AbortController();
  for (let count = 0; count < 20; count++) {
    const reply = open();
    const signal = goneSignal(reply, stopping.signal, closing.signal);
    expect(signal.aborted).toBe(false);
    reply.raw.emit('close');
    expect(signal.aborted).toBe(true);
  }
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
  expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
});

test('a stream whose peer is gone already does not begin', () => {
  const stopping = new AbortController();
  const gone = { raw: Object.assign(new EventEmitter(), { destroyed: true }) as ServerResponse };
  expect(goneSignal(gone, stopping.signal).aborted).toBe(true);
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
});

test('a stream ends with the process, also one that is opened while it ends', () => {
  const stopping = new AbortController();
  const before = goneSignal(open(), stopping.signal);
  stopping.abort();
  expect([before.aborted, goneSignal(open(), stopping.signal).aborted]).toEqual([true, true]);
});
