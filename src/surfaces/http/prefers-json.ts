/**
 * Whether an `Accept` header ranks JSON above HTML (RFC 9110, section 12.5.1). Pages for people answer HTML otherwise,
 * also to a wildcard and to no header at all.
 */
export function prefersJson(accept: string | undefined): boolean {
  const ranges = (accept ?? '').split(',').map(readRange);
  const weightOf = (type: string) => {
    // The most specific range counts, whatever its weight.
    const fitting = [type, `${type.split('/')[0]}/*`, '*/*'].flatMap((name) =>
      ranges.filter((one) => one.name === name),
    );
    return fitting[0]?.weight ?? 0;
  };
  return weightOf('application/json') > weightOf('text/html');
}

function readRange(text: string): { name: string; weight: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
}
