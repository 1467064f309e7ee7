import { main } from './main.ts';

await main({ demo: process.argv.includes('--demo') });
