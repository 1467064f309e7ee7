/** How a measured value stands against what is wanted (docs/performance.md). */
function verdict({ value, wanted, stretch, atMost }) {
  const reaches = (mark) => mark !== undefined && (atMost ? value <= mark : value >= mark);
  return reaches(stretch) ? 'stretch' : reaches(wanted) ? 'yes' : 'no';
}

export function cells(line) {
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

export const heads = ['what', 'measured', 'wanted', 'stretch', 'reached', 'figures behind it'];

export function toTable(lines) {
  const rows = [heads, ...lines.map(cells)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const last = heads.length - 1;
  return rows
    .map((row) => row.map((cell, column) => (column === last ? cell : cell.padEnd(widths[column]))).join('  '))
    .join('\n');
}
