// Loaded into the product with --import: profiles its main thread on request and tells which share of its CPU time was
// spent in code of the modules that are named, whatever they called included.
import { Session } from 'node:inspector/promises';

const session = new Session();
session.connect();

process.on('message', async ({ profile, modules }) => {
  if (profile === 'start') {
    await session.post('Profiler.enable');
    // Finer than usual: what is looked for takes microseconds.
    await session.post('Profiler.setSamplingInterval', { interval: 200 });
    await session.post('Profiler.start');
    process.send?.({ profiling: true });
  }
  if (profile === 'stop') process.send?.({ share: shareOf((await session.post('Profiler.stop')).profile, modules) });
});
process.channel?.unref();

/** @param {import('node:inspector').Profiler.Profile} profile @param {string[]} modules */
function shareOf({ nodes, samples = [], timeDeltas = [] }, modules) {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const isInside = (id) =>
    id !== undefined && (modules.some((module) => byId.get(id)?.url.endsWith(module)) || isInside(parents.get(id)));
  let busy = 0;
  let inside = 0;
  for (const [index, id] of samples.entries()) {
    if (byId.get(id)?.functionName === '(idle)') continue;
    busy += timeDeltas[index];
    if (isInside(id)) inside += timeDeltas[index];
  }
  return inside / busy;
}
