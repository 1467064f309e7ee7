import type { Command } from 'commander';
import { addBareCommand } from './command.ts';

export function addStart(program: Command): void {
  addBareCommand(
    program,
    'start',
    'Run the service until SIGTERM or Ctrl-C; its log goes to standard output, one JSON object a line',
    'start',
    'start --demo',
  )
    .option('--demo', 'make a demo merchant with keys and a simulated wallet, if there is no merchant yet')
    .action(async ({ demo }: { demo?: true }) => {
      // Not before: the HTTP server is half of what a short command would load.
      const { main } = await import('../main.ts');
      await main({ demo: demo === true });
    });
}
