const dateShape = /^(\d{4})-(\d{2})-(\d{2})$/;
// A plus that was not percent-encoded arrives as a space; there it can mean nothing else.
const timeShape = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+\- ]\d{2}:?\d{2})$/i;

/**
 * Reads an ISO 8601 time with `Z` or an offset, or a date alone, which means midnight UTC. Impossible dates, words and
 * epoch numbers are undefined. Digits beyond milliseconds are cut, as everything stored has milliseconds.
 */
export function parseTimestamp(raw: string): Date | undefined {
  const date = dateShape.exec(raw);
  if (date) return utc(date[1]!, date[2]!, date[3]!, '00', '00', '00', 0, 0);
  const time = timeShape.exec(raw);
  if (!time) return undefined;
  const millis = Number((time[7] ?? '').slice(0, 3).padEnd(3, '0'));
  return utc(time[1]!, time[2]!, time[3]!, time[4]!, time[5]!, time[6] ?? '00', millis, offsetMinutes(time[8]!));
}

function offsetMinutes(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return zone[0] === '-' ? -minutes : minutes;
}

function utc(
  year: string,
  month: string,
  day: string,
  hour: string,
  minute: string,
  second: string,
  millis: number,
  offset: number,
): Date | undefined {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || Math.abs(offset) > 14 * 60) return undefined;
  const midnight = new Date(`${year}-${month}-${day}T00:00:00.000Z`);
  // Date accepts 30 February and rolls over; the day that comes back tells.
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return undefined;
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset * 60;
  return new Date(midnight.getTime() + seconds * 1000 + millis);
}
