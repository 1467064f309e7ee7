/** What a command has to say: one value, in two forms. */
export interface Outcome {
  /** Printed with `--json`. Names are those of the HTTP interface where it has them. */
  readonly json: unknown;
  readonly text: string;
  /** It did its work, and what it found is bad: exit code 1. */
  readonly failed?: boolean;
}

/** Prints an outcome; nothing else of a command goes to standard output. */
export function print(outcome: Outcome, asJson: boolean): void {
  // The reader of a pipe may leave early (`satline key list | head -1`); that is no fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.stdout.write(`${asJson ? JSON.stringify(outcome.json, null, 2) : printable(outcome.text)}\n`);
}

/** Columns of one width, two blanks apart. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows].map((line) => line.map((cell) => cell.replace(/\s+/g, ' ')));
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `1 key`, `2 keys`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Names come from merchants and remarks from wallets: none of them may move the cursor or turn the text around. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/** Tells a person what takes so long. */
export interface Progress {
  show(step: string): void;
  clear(): void;
}

/** One line on standard error that is written over, on a terminal only. */
export function openProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { show() {}, clear() {} };
  const eraseLine = '\r\x1b[2K';
  return {
    show: (step) => void stream.write(`${eraseLine}${printable(step)} …`),
    clear: () => void stream.write(eraseLine),
  };
}
