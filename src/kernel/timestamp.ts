const dateShape = /^\d{4}-\d{2}-\d{2}$/;
// A plus that was not percent-encoded arrives as a space; there it can mean nothing else.
const timeShape =
  /^(?<date>\d{4}-\d{2}-\d{2})T(?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d{1,9}))?)?(?<zone>Z|[+\- ]\d{2}:?\d{2})$/i;

/**
 * Reads an ISO 8601 time with `Z` or an offset, or a date alone, which means midnight UTC. Impossible dates, words and
 * epoch numbers are undefined. Digits beyond milliseconds are cut, as everything stored has milliseconds.
 */
export function parseTimestamp(raw: string): Date | undefined {
  if (dateShape.test(raw)) return midnightOf(raw);
  const found = timeShape.exec(raw)?.groups;
  const midnight = found && midnightOf(found.date!);
  if (!midnight) return undefined;
  const [hour, minute, second] = [Number(found.hour), Number(found.minute), Number(found.second ?? 0)];
  const offset = offsetMinutes(found.zone!);
  if (hour > 23 || minute > 59 || second > 59 || Math.abs(offset) > 14 * 60) return undefined;
  const millis = Number((found.fraction ?? '').slice(0, 3).padEnd(3, '0'));
  return new Date(midnight.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + millis);
}

/** In UTC. */
function midnightOf(date: string): Date | undefined {
  const midnight = new Date(`${date}T00:00:00.000Z`);
  // Date accepts 30 February and rolls over; the day that comes back tells.
  const isReal = !Number.isNaN(midnight.getTime()) && midnight.getUTCDate() === Number(date.slice(-2));
  return isReal ? midnight : undefined;
}

function offsetMinutes(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return zone[0] === '-' ? -minutes : minutes;
}
