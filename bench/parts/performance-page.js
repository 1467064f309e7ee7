// docs/performance.md: one row for each thing measured, with the day of it.
import { cells, heads } from './table.js';

const machineLine = /^Measured on (.*)\.$/m;

/**
 * The page with `lines` in it. Rows of `before`, the page as it is, keep their place and what they say unless they were
 * measured again. @param onlySome whether rows that are not in `lines` exist; otherwise those of `before` are gone.
 * @throws when rows of another machine would stand beside these.
 */
export function performancePage({ before, lines, onlySome, machine, day }) {
  const rows = new Map(onlySome ? readRows(before) : []);
  const earlier = machineLine.exec(before)?.[1];
  if (rows.size > 0 && earlier !== machine) {
    throw new Error(`The page tells of another machine (${earlier}); run all rows to write it anew for this one`);
  }
  for (const line of lines) rows.set(line.what, toRow([...cells(line), day]));
  return [
    '# Performance',
    '',
    `Measured on ${machine}.`,
    '',
    'Ratios are taken side by side in one run, candidates interleaved round by round. Trust them; absolute figures belong to',
    'this machine. What each row does and how figures are kept: [bench/README.md](../bench/README.md).',
    '',
    toRow([...heads, 'day']),
    toRow([...heads, 'day'].map(() => '---')),
    ...rows.values(),
    '',
  ].join('\n');
}

function readRows(page) {
  const lines = page.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => [line.slice(2, line.indexOf(' | ')), line]);
}

const toRow = (columns) => `| ${columns.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
