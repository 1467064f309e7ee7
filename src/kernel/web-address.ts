/** Whether `text` is an absolute http(s) address. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

// No wildcard, and nothing that would end one value of a header and begin another. `_` is in no standard and in use.
const originShape = /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:]+\])(:\d{1,5})?$/;

/** Whether `text` is an http(s) origin as browsers send it, of a host that a policy header can name. */
export function isPlainOrigin(text: string): boolean {
  return originShape.test(text);
}
