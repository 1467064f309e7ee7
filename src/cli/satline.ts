import { runCommandLine } from './run-command-line.ts';

// Whoever reads may stop reading (`satline … | head`); what is left then has no reader.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await runCommandLine(process.argv.slice(2));
