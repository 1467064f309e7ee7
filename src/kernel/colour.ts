/** Whether `text` is a colour as `#rrggbb`, in either case. */
export function isHexColour(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}
