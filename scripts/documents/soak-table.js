/** The table of docs/reliability.md: one row for each storm and database, with the day it was last measured. */
const [begin, end] = ['<!-- soak: begin -->', '<!-- soak: end -->'];
const heading = ['| storm | database | what came out | measured |', '| --- | --- | --- | --- |'];

/** @returns rows of `{ what, database, figures, day }`, in the order of the page. */
export function readTable(page) {
  const lines = page.slice(page.indexOf(begin), page.indexOf(end)).split('\n');
  return lines
    .filter((line) => line.startsWith('| ') && !heading.includes(line))
    .map((line) => {
      const [what, database, figures, day] = line.slice(2, -2).split(' | ');
      return { what, database, figures, day };
    });
}

/** New figures take the place of the same storm's on the same database; storms never seen come last. */
export function mergeFigures(rows, measured) {
  const key = ({ what, database }) => `${what} | ${database}`;
  const merged = new Map(rows.map((row) => [key(row), row]));
  for (const row of measured) merged.set(key(row), row);
  return [...merged.values()];
}

export function writeTable(page, rows) {
  const before = page.slice(0, page.indexOf(begin) + begin.length);
  const body = rows.map(({ what, database, figures, day }) => `| ${what} | ${database} | ${figures} | ${day} |`);
  const table = rows.length === 0 ? '' : `\n\n${[...heading, ...body].join('\n')}\n`;
  return `${before}${table}\n${page.slice(page.indexOf(end))}`;
}
