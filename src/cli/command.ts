import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import type { Parts } from '../flows/parts.ts';
import { CliFailure } from './failure.ts';
import { openParts } from './open.ts';
import { type Outcome, openProgress, type Progress, print } from './output.ts';

/** What a command works with. */
export interface CommandContext {
  readonly progress: Progress;
  /** Aborts when the person at the terminal gives up. */
  readonly signal: AbortSignal;
}

export interface ConfigContext extends CommandContext {
  readonly config: Config;
}

interface PartsContext extends ConfigContext {
  readonly parts: Parts;
}

/** Gets the values of a command's options, and its arguments in order. */
type Run<S, O> = (context: S, options: O, ...words: string[]) => Promise<Outcome>;
type Action = (...given: unknown[]) => Promise<void>;

/** Declares a command with `--json` and help that ends in examples. */
export function addCommand(group: Command, usage: string, summary: string, ...examples: string[]): Command {
  return addBareCommand(group, usage, summary, ...examples).option('--json', 'print the result as JSON');
}

/** Without `--json`: for a command whose standard output is a log. */
export function addBareCommand(group: Command, usage: string, summary: string, ...examples: string[]): Command {
  const lines = examples.map((example) => `  $ satline ${example}`);
  return group
    .command(usage)
    .description(summary)
    .addHelpText('after', `\nExample${examples.length > 1 ? 's' : ''}:\n${lines.join('\n')}`);
}

/** Refuses what no option shows alone, before anything is opened. @param fault the sentence, undefined for good usage. */
export function refuseUsage<O extends object>(command: Command, fault: (options: O) => string | undefined): Command {
  return command.hook('preAction', (_, acting) => {
    const sentence = fault(acting.opts<O>());
    if (sentence !== undefined) acting.error(`error: ${sentence}`);
  });
}

/** An action that reads the environment itself, or not at all. */
export function withoutConfig<O extends object>(run: Run<CommandContext, O>): Action {
  return async (...given) => {
    // Commander hands over the arguments, the options, and last the command.
    const options = given.at(-2) as O & { json?: boolean };
    const words = given.slice(0, -2) as string[];
    const progress = openProgress();
    const interrupted = new AbortController();
    // Once: whoever presses Ctrl-C a second time does not want to wait for a tidy end.
    process.once('SIGINT', () => interrupted.abort(new CliFailure('Interrupted.')));
    try {
      const outcome = await run({ progress, signal: interrupted.signal }, options, ...words);
      progress.clear();
      print(outcome, options.json === true);
      if (outcome.failed) process.exitCode = 1;
    } finally {
      progress.clear();
    }
  };
}

/** An action that needs the configuration only. */
export function withConfig<O extends object>(run: Run<ConfigContext, O>): Action {
  return withoutConfig<O>(async (context, options, ...words) =>
    run({ ...context, config: readConfig(process.env) }, options, ...words),
  );
}

/** An action on an open, migrated database. Closes it before anything is printed. */
export function withParts<O extends object>(run: Run<PartsContext, O>): Action {
  return withConfig<O>(async (context, options, ...words) => {
    context.progress.show('Opening the database');
    const built = await openParts(context.config);
    try {
      return await run({ ...context, parts: built.parts }, options, ...words);
    } finally {
      await built.close();
    }
  });
}
