/** The thread that runs the engine. The main thread never loads PGlite: a long statement would stop its event loop. */
import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import { describeBreak, Engine } from './engine.ts';
import { Gauges } from './gauges.ts';
import { Sessions } from './sessions.ts';
import { prepareCluster } from './template.ts';
import type { FromWorker, ToWorker, WorkerStart } from './worker-messages.ts';

const { directory, gauges: buffer } = workerData as WorkerStart;
const main = parentPort!;
const gauges = new Gauges(buffer);

function tell(message: FromWorker): void {
  main.postMessage(message);
}

/** An exception would be swallowed inside PGlite; leaving the thread cannot be. */
function fatal(reason: string): never {
  tell({ kind: 'fatal', reason });
  process.exit(1);
}

const engine = await prepareCluster(directory)
  .then((dataDirectory) =>
    Engine.open({ dataDirectory, gauges, fatal, notice: (text) => tell({ kind: 'notice', text }) }),
  )
  .catch((error: Error) => fatal(error.message));
const sessions = new Sessions(engine, gauges, (error) => fatal(describeBreak(error)));

main.on('message', (message: ToWorker) => {
  if (message.kind === 'connect') sessions.open(message.port, message.flow);
  else void close();
});
tell({ kind: 'ready' });

async function close(): Promise<void> {
  await sessions.close();
  await engine.close();
  process.exit(0);
}
