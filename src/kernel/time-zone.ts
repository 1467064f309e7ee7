/** Whether text names a time zone of the IANA database that this Node knows. */
export function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    // Offsets such as "+01:00" are accepted by Intl, but are no zones.
    return /^[A-Za-z]/.test(text);
  } catch {
    return false;
  }
}
