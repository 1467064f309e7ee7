import { isHexColour } from '../../kernel/colour.ts';
import type { Palette } from './colours.ts';

/** A merchant's colour made usable on one theme; the contrasts are WCAG 2.2's, relative to the palette. */
interface Accent {
  /** Buttons: the merchant's very colour, unless it could not be told from the card at all (1.25:1). */
  readonly fill: string;
  /** Text on `fill`: 4.5:1. */
  readonly ink: string;
  /** The border around `fill`: 3:1 against the card. */
  readonly edge: string;
  /** Rings, dots, focus and links: 4.6:1 on page and card. */
  readonly text: string;
}

export const defaultAccent = '#4f46e5';

const black = '#000000';
const white = '#ffffff';
const stepCount = 100;

/** @param hex `#rrggbb`; anything else is answered with the default, since the value goes into a style sheet. */
export function toAccent(hex: string | null | undefined, palette: Palette): Accent {
  const colour = hex && isHexColour(hex) ? hex.toLowerCase() : defaultAccent;
  // Contrast belongs into ink and border: a fill pushed that far makes mud of a yellow.
  const fill = push(colour, [[palette.card, 1.25]]);
  return {
    fill,
    ink: contrast(white, fill) >= 4.5 ? white : black,
    edge: push(fill, [[palette.card, 3]]),
    text: push(colour, [
      [palette.page, 4.6],
      [palette.card, 4.6],
    ]),
  };
}

/** WCAG contrast of two `#rrggbb` colours, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [brighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (brighter + 0.05) / (darker + 0.05);
}

/** Moves a colour towards black on light grounds and white on dark ones, no further than the grounds ask for. */
function push(colour: string, wanted: ReadonlyArray<readonly [ground: string, ratio: number]>): string {
  const target = luminance(wanted[0]![0]) > 0.18 ? black : white;
  for (let step = 0; step < stepCount; step++) {
    const mixed = mix(colour, target, step / stepCount);
    if (wanted.every(([ground, ratio]) => contrast(mixed, ground) >= ratio)) return mixed;
  }
  return target;
}

function mix(colour: string, target: string, share: number): string {
  const to = channels(target);
  const mixed = channels(colour).map((channel, index) => Math.round(channel + (to[index]! - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}
