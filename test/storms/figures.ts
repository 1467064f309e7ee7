import { appendFileSync } from 'node:fs';
import { onPostgres } from '../harness/database.ts';

/** What a storm measured. With SOAK_FIGURES set it goes into that file too, for docs/reliability.md (scripts/soak.js). */
export function reportFigures(what: string, figures: string, seed?: number): void {
  const text = seed === undefined ? figures : `${figures} (seed ${seed})`;
  console.log(`${what}: ${text}`);
  const file = process.env.SOAK_FIGURES;
  if (!file) return;
  const database = onPostgres ? 'PostgreSQL' : 'embedded';
  appendFileSync(file, `${JSON.stringify({ database, what, figures: text })}\n`);
}
