import { type Config, ConfigError, readConfig } from './config.ts';
import { embeddedDirectory, openEmbedded } from './db/embedded/open.ts';
import { createLog } from './kernel/log.ts';
import { keepTickShape } from './kernel/tick-shape.ts';
import { openingTrouble } from './opening-trouble.ts';
import type { RunningServer } from './server.ts';

/** Errors whose message is for whoever starts the service; named, because their modules are read later. */
const sentences = ['SecretsKeyError', 'EmbeddedDirectoryInUse', 'ListenError'];

/** Starts the service and stops it on SIGTERM or SIGINT. @returns when it is listening. */
export async function main(options: { demo: boolean; env?: NodeJS.ProcessEnv }): Promise<void> {
  process.umask(0o077);
  keepTickShape();
  let running: RunningServer | undefined;
  let stopping = false;

  async function end(code: number): Promise<void> {
    if (stopping) return;
    stopping = true;
    await running?.stop().catch((error) => process.stderr.write(`${error}\n`));
    process.exit(code);
  }
  // Before anything is opened: as pid 1 a process without handlers ignores these.
  process.on('SIGTERM', () => void end(0));
  process.on('SIGINT', () => void end(0));
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error.stack ?? error}\n`);
    void end(1);
  });

  let config: Config | undefined;
  function onFatal(error: Error): void {
    const sentence = openingTrouble(error, config?.databaseUrl) ?? error.message;
    process.stderr.write(`Satline cannot go on.\n${sentence}\n`);
    void end(1);
  }

  try {
    config = readConfig(options.env ?? process.env);
    const log = createLog(config.logLevel);
    // What takes longest has a thread of its own: it begins before all that is imported below is read.
    const dir = embeddedDirectory(config.dataDir);
    const engine = config.databaseUrl === undefined ? openEmbedded({ dir, log, onFatal }) : undefined;
    engine?.catch(() => {});
    const { startServer } = await import('./server.ts');
    running = await startServer(config, { demo: options.demo, log, onFatal, ...(engine ? { engine } : {}) });
    if (stopping) await running.stop();
  } catch (error) {
    // A person reads this: the sentence, without a stack, unless nobody foresaw it.
    const { name, message, stack } = error as Error;
    const foreseen = error instanceof ConfigError || sentences.includes(name);
    const sentence = foreseen ? message : openingTrouble(error, config?.databaseUrl);
    process.stderr.write(`Satline did not start.\n${sentence ?? stack ?? message}\n`);
    process.exit(1);
  }
}
