const browsers: readonly [sign: RegExp, name: string][] = [
  // In this order: most browsers also name those that they are built like.
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly [sign: RegExp, name: string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** What a person would call a browser, such as "Firefox, Linux"; null when it does not say. Nothing else of it is kept. */
export function browserName(userAgent: string | undefined): string | null {
  const named = [browsers, systems].map((list) => list.find(([sign]) => sign.test(userAgent ?? ''))?.[1]);
  return named.filter(Boolean).join(', ') || null;
}
