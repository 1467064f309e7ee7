/** A name of the IANA database that this Node knows, in its usual spelling; undefined for anything else. */
export function parseTimeZone(text: string | undefined): string | undefined {
  // Offsets such as "+01:00" are accepted by Intl, but are no zones.
  if (text === undefined || !/^[A-Za-z]/.test(text)) return undefined;
  const known = resolve(text);
  if (known === undefined) return undefined;
  // Node resolves Asia/Kolkata to Asia/Calcutta: another name is left as it was typed.
  const sameName = (name: string) => name.toLowerCase() === text.toLowerCase();
  return [known, ...Intl.supportedValuesOf('timeZone')].find(sameName) ?? text;
}

function resolve(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
