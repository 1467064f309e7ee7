import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import jsqr from 'jsqr';
import type { Locator, Page } from 'playwright-core';
import { soak } from '../storms/seeds.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What of them a look asks: all, or only those on colours. */
type Rules = 'everything' | 'colours';
/** Dark is light in other colours, to which the other rules say nothing new; the soak asks them all the same. */
export const rulesFor = (theme: 'light' | 'dark'): Rules => (theme === 'light' || soak ? 'everything' : 'colours');
const colours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/**
 * What axe finds on the page as it is now, one line a fault: WCAG 2.0 to 2.2 A and AA, and good practice.
 * @param what only the rules that look at colours, for a page whose other rules were looked at in other colours.
 */
export async function axeFaults(page: Page, what: Rules = 'everything'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  return page.evaluate(
    async (runOnly) => {
      // Colours in the middle of an appearance are nobody's choice.
      for (const one of document.getAnimations()) {
        if (Number.isFinite(one.effect?.getComputedTiming().endTime as number)) one.finish();
      }
      // How what passed would be found again is not asked: that is half of the work.
      const { violations } = await (window as unknown as { axe: AxeApi }).axe.run(document, {
        runOnly,
        resultTypes: ['violations'],
      });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
      );
    },
    what === 'everything' ? everything : colours,
  );
}

interface AxeApi {
  run(
    context: Document,
    options: { runOnly: typeof everything | typeof colours; resultTypes: string[] },
  ): Promise<{ violations: AxeFault[] }>;
}

interface AxeFault {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** How far the page sticks out sideways; nothing should. */
export function excessPixels(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));
}

/** Words that do not stand on one line although one has room for them; hyphens part words. */
export function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const broken: string[] = [];
    const walker = document.createTreeWalker(document.querySelector('main')!, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const place = node.parentElement!;
      // What has no words: codes and hashes, and languages that are written without blanks.
      if (place.closest('.code, script, :lang(ja)') || !place.checkVisibility()) continue;
      let block = place;
      while (getComputedStyle(block).display.startsWith('inline')) block = block.parentElement!;
      const room = block.parentElement!.clientWidth;
      for (const { index, 0: word } of node.textContent!.matchAll(/[^\s-]+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const pieces = [...range.getClientRects()].filter(({ width }) => width > 0);
        const lines = new Set(pieces.map(({ top }) => Math.round(top)));
        if (lines.size > 1 && pieces.reduce((sum, { width }) => sum + width, 0) < room) broken.push(word);
      }
    }
    return broken;
  });
}

export const widths = [320, 390, 768, 1280];
/** Where axe looks; between the narrowest and the widest nothing of a page is new. The soak looks at every width. */
const axeWidths = soak ? widths : [320, 1280];

/**
 * What sticks out sideways, which words are broken, from a small phone to a screen, and what axe finds; of colours, which no width changes, on the
 * screen alone. Leaves the page at the last width. @returns one line a fault, with its width in front.
 */
export async function faultsAtWidths(page: Page, what: Rules = 'everything'): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    const excess = await excessPixels(page);
    if (excess > 0) faults.push(`${width}: ${excess} px stick out`);
    faults.push(...(await brokenWords(page)).map((word) => `${width}: "${word}" is broken`));
    if (!axeWidths.includes(width) || (what === 'colours' && width !== widths.at(-1))) continue;
    faults.push(...(await axeFaults(page, what)).map((fault) => `${width}: ${fault}`));
  }
  return faults;
}

/** Reads the QR code in a screenshot of an element, as a camera would see it. */
export async function readQr(element: Locator): Promise<string | undefined> {
  const picture = (await element.screenshot()).toString('base64');
  const pixels = await element.page().evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (sign) => sign.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!;
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    // One sign a pixel is enough, as the code is black and white, and travels fast.
    let shades = '';
    for (let index = 0; index < data.length; index += 4) shades += data[index]! > 127 ? '1' : '0';
    return { shades, width: bitmap.width, height: bitmap.height };
  }, picture);
  const rgba = new Uint8ClampedArray(pixels.shades.length * 4).fill(255);
  for (let index = 0; index < pixels.shades.length; index++) {
    if (pixels.shades[index] === '0') rgba.fill(0, index * 4, index * 4 + 3);
  }
  return jsqr.default(rgba, pixels.width, pixels.height, { inversionAttempts: 'dontInvert' })?.data;
}

/** What a page must never do, gathered while it lives. */
export interface PageWatch {
  /** Refusals by the content security policy, errors of scripts, requests to other hosts. */
  readonly faults: string[];
}

/** Starts watching; call before the first navigation. @param origin the only one that may be asked */
export async function watchPage(page: Page, origin: string): Promise<PageWatch> {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('console', (message) => {
    if (/content security policy|refused to/i.test(message.text())) faults.push(`policy: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) faults.push(`host: ${request.url()}`);
  });
  return { faults };
}
