/**
 * Whether an `Accept` header ranks JSON above HTML (RFC 9110, section 12.5.1). Pages for people answer HTML otherwise,
 * also to a wildcard and to no header at all.
 */
export function prefersJson(accept: string | undefined): boolean {
  const ranges = readRanges(accept);
  return weightOf('application/json', ranges) > weightOf('text/html', ranges);
}

/**
 * Whether an `Accept` header ranks CSV above JSON. It has to be asked for by name: every client of the API takes
 * anything. Where JSON is only taken with the rest, CSV wins a tie.
 */
export function prefersCsv(accept: string | undefined): boolean {
  const ranges = readRanges(accept);
  const csv = ranges.find(({ name }) => name === 'text/csv')?.weight ?? 0;
  const json = weightOf('application/json', ranges);
  const isNamed = ranges.some(({ name }) => name === 'application/json');
  return csv > 0 && (isNamed ? csv > json : csv >= json);
}

interface MediaRange {
  readonly name: string;
  readonly weight: number;
}

/** The most specific range counts, whatever its weight. */
function weightOf(type: string, ranges: readonly MediaRange[]): number {
  const fitting = [type, `${type.split('/')[0]}/*`, '*/*'].flatMap((name) => ranges.filter((one) => one.name === name));
  return fitting[0]?.weight ?? 0;
}

function readRanges(accept: string | undefined): MediaRange[] {
  return (accept ?? '').split(',').map((text) => {
    const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
  });
}
