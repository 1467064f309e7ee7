/** What all processes have counted in a window together. */
export interface WindowTotal {
  /** `minute` or `hour`, and who is counted. */
  readonly subject: string;
  /** Milliseconds. */
  readonly startsAt: number;
  readonly total: number;
}

/** A notification of PostgreSQL has room for 8,000 bytes, with what `db/notifier.ts` puts in front. */
const longestChars = 7000;

/** Totals as texts without blanks, each short enough to be sent to the other processes. */
export function writeRateNews(totals: readonly WindowTotal[]): string[] {
  const texts: string[] = [];
  let text = '';
  for (const { subject, startsAt, total } of totals) {
    const one = `${encodeURIComponent(subject)}=${startsAt}=${total}`;
    if (one.length > longestChars) continue;
    if (text !== '' && text.length + one.length >= longestChars) {
      texts.push(text);
      text = '';
    }
    text += text === '' ? one : `,${one}`;
  }
  return text === '' ? texts : [...texts, text];
}

/** What another process wrote with `writeRateNews`. */
export function readRateNews(text: string): WindowTotal[] {
  return text.split(',').map((one) => {
    const [subject = '', startsAt, total] = one.split('=');
    return { subject: decodeURIComponent(subject), startsAt: Number(startsAt), total: Number(total) };
  });
}
