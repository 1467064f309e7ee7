/** What a merchant or a person may choose; `auto` follows the device. */
export type Theme = 'light' | 'dark' | 'auto';

/** The grounds and inks of one theme; each becomes a CSS variable of the same name. */
export interface Palette {
  readonly page: string;
  readonly sunken: string;
  readonly card: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  /** The edge of things that can be pressed or typed into: 3:1 on card and page (WCAG 1.4.11). */
  readonly field: string;
  readonly ok: string;
  readonly okGround: string;
  readonly warn: string;
  readonly warnGround: string;
  readonly bad: string;
  readonly badGround: string;
  readonly shadow: string;
}

export const light: Palette = {
  page: '#f5f6f8',
  sunken: '#f5f6f8',
  card: '#ffffff',
  text: '#14171f',
  muted: '#596273',
  line: '#e3e6eb',
  field: '#868e9c',
  ok: '#0b7a45',
  okGround: '#e6f5ec',
  warn: '#8a5200',
  warnGround: '#fff3dc',
  bad: '#b3261e',
  badGround: '#fdecea',
  shadow: '0 1px 2px #14171f0f,0 12px 32px #14171f14',
};

export const dark: Palette = {
  page: '#0e1014',
  sunken: '#111318',
  card: '#181a20',
  text: '#f1f3f6',
  muted: '#a0a8b6',
  line: '#2a2e37',
  field: '#6b7484',
  ok: '#4cc38a',
  okGround: '#12291f',
  warn: '#f0b357',
  warnGround: '#2b2112',
  bad: '#ff8a80',
  badGround: '#2d1514',
  shadow: '0 0 0 1px #2a2e37',
};
