import type { JSX } from 'preact';
import { qrShape } from '../../../kernel/qr.ts';
import { raw } from '../../pages/document.tsx';

const drawn = new Map<string, string>();
// About 5 kB each.
const keptCount = 1000;

/**
 * A QR code that is drawn once and kept, since drawing costs more than the rest of a page. The ground is white in every
 * theme: many readers take no inverted code.
 */
export function QrCode({ text }: { text: string }): JSX.Element {
  return <svg {...attributesOf(text)} />;
}

function attributesOf(text: string) {
  let inside = drawn.get(text);
  if (inside === undefined) {
    const { sizeModules, path } = qrShape(text);
    inside = `${sizeModules} <path fill="#fff" d="M0 0h${sizeModules}v${sizeModules}H0z"/><path stroke="#000" d="${path}"/>`;
    const [oldest] = drawn.keys();
    if (drawn.size >= keptCount && oldest !== undefined) drawn.delete(oldest);
    drawn.set(text, inside);
  }
  const blank = inside.indexOf(' ');
  const size = inside.slice(0, blank);
  return {
    viewBox: `0 0 ${size} ${size}`,
    'shape-rendering': 'crispEdges',
    'aria-hidden': 'true' as const,
    ...raw(inside.slice(blank + 1)),
  };
}
