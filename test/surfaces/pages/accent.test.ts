import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contrast, defaultAccent, toAccent } from '../../../src/surfaces/pages/accent.ts';
import { dark, light } from '../../../src/surfaces/pages/colours.ts';
import { themeStyle } from '../../../src/surfaces/pages/theme-style.ts';

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('contrast', () => {
  test('is what WCAG says of known pairs', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrast('#123456', '#123456')).toBe(1);
  });
});

describe('an accent', () => {
  test('is readable on both themes, whatever the merchant chose', () => {
    fc.assert(
      fc.property(colour, fc.constantFrom(light, dark), (hex, palette) => {
        const { fill, ink, edge, text } = toAccent(hex, palette);
        expect(contrast(fill, palette.card)).toBeGreaterThanOrEqual(1.25);
        expect(contrast(ink, fill)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(edge, palette.card)).toBeGreaterThanOrEqual(3);
        for (const ground of [palette.page, palette.card, palette.sunken]) {
          expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('stays the very colour where it can be seen', () => {
    for (const hex of ['#ffd60a', '#4f46e5', '#b3261e']) expect(toAccent(hex, light).fill).toBe(hex);
    expect(toAccent('#FFD60A', light).fill).toBe('#ffd60a');
    expect(toAccent('#ffd60a', light).ink).toBe('#000000');
    expect(toAccent('#ffffff', light).fill).not.toBe('#ffffff');
    expect(toAccent('#ffffff', dark).fill).toBe('#ffffff');
  });

  test('that is no colour is the default: it ends in a style sheet', () => {
    for (const text of ['red;}body{display:none', '#fff', '#12345g', '', null, undefined]) {
      expect(toAccent(text, light).fill).toBe(defaultAccent);
      expect(themeStyle('light', text)).not.toContain('display');
    }
  });
});

describe('the palettes', () => {
  test('have readable text on every ground it stands on', () => {
    for (const palette of [light, dark]) {
      for (const ground of [palette.page, palette.card, palette.sunken]) {
        for (const ink of [palette.text, palette.muted]) expect(contrast(ink, ground)).toBeGreaterThanOrEqual(4.5);
      }
      expect(contrast(palette.ok, palette.okGround)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(palette.warn, palette.warnGround)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(palette.bad, palette.badGround)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(palette.field, palette.card)).toBeGreaterThanOrEqual(3);
    }
  });

  test('both are sent only where the device decides', () => {
    expect(themeStyle('auto')).toContain('prefers-color-scheme');
    expect(themeStyle('dark')).not.toContain(`--page:${light.page}`);
  });
});
