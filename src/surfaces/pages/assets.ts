import { readFileSync } from 'node:fs';

/**
 * Reads a style sheet or browser script that lies beside the code, once, and takes out what only its authors need: lines
 * that are comments, indentation, blank lines. @param base `import.meta.url` of the caller
 */
export function readAsset(name: string, base: string): string {
  const text = readFileSync(new URL(name, base), 'utf8');
  return text
    .replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'))
    .join('\n');
}

/** Goes before the scripts of pages that have something to copy. */
export const copyScript = readAsset('./copy-script.js', import.meta.url);

/** A style sheet on one line, without the blanks that CSS does not need. */
export function readStyle(name: string, base: string): string {
  return readAsset(name, base)
    .replace(/\n/g, '')
    .replace(/\s*([{};,])\s*/g, '$1')
    .replace(/:\s+/g, ':')
    .replace(/;}/g, '}');
}
