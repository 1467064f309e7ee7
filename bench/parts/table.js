/** How a measured value stands against what is wanted (docs/performance.md). */
function verdict({ value, wanted, stretch, atMost }) {
  const reaches = (mark) => mark !== undefined && (atMost ? value <= mark : value >= mark);
  return reaches(stretch) ? 'stretch' : reaches(wanted) ? 'yes' : 'no';
}

function cells(line) {
  const sign = line.atMost ? '≤' : '≥';
  return [
    line.what,
    line.value.toFixed(2),
    `${sign} ${line.wanted}`,
    line.stretch === undefined ? '' : `${sign} ${line.stretch}`,
    verdict(line),
    line.figures,
  ];
}

const heads = ['what', 'measured', 'wanted', 'stretch', 'reached', 'figures behind it'];

export function toTable(lines) {
  const rows = [heads, ...lines.map(cells)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const last = heads.length - 1;
  return rows
    .map((row) => row.map((cell, column) => (column === last ? cell : cell.padEnd(widths[column]))).join('  '))
    .join('\n');
}

export function toMarkdown({ lines, machine, command, date }) {
  const row = (columns) => `| ${columns.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    '# Performance',
    '',
    `Measured on ${date.toISOString().slice(0, 10)} with \`${command.trim()}\`, on a machine that did other work as well:`,
    `${machine}.`,
    '',
    'Ratios are taken side by side in one run, candidates interleaved round by round. Trust them; absolute figures belong to',
    'this machine. What each row does and how figures are kept: [bench/README.md](../bench/README.md).',
    '',
    row(heads),
    row(heads.map(() => '---')),
    ...lines.map((line) => row(cells(line))),
    '',
  ].join('\n');
}
