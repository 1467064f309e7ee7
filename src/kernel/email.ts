// Control and invisible characters too: nobody types them, and they hide what an address says.
const local = /^[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"]+$/u;
const label = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;

/**
 * Whether text is an address that mail can be sent to, as people write them: plus tags, upper case and international
 * domains pass; blanks, line breaks, double dots and domains without a dot do not. RFC 5321 limits: 64 before the @,
 * 254 in all.
 */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1 || text.length > 254 || at > 64) return false;
  const name = text.slice(0, at);
  const labels = text.slice(at + 1).split('.');
  if (!local.test(name) || name.startsWith('.') || name.endsWith('.') || name.includes('..')) return false;
  return labels.length > 1 && labels.every((part) => part.length <= 63 && label.test(part));
}
