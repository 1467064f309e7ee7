// Reads every Markdown file and names what it points at in vain: links, anchors, paths, npm scripts, commands with
// their options, and environment variables. What is generated can't drift; this keeps the rest from drifting unseen.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const skipped = new Set(['node_modules', 'dist', 'data', '.git']);
/** A path of ours in running text. What follows a `<placeholder>` or `*` is not looked at. */
const pathPattern = /(?<![\w./:@-])(?:\.ci|bench|bin|docs|scripts|src|test)\/[\w./-]*/g;
const linkPattern = /(?<!!)\[[^\]]*\]\(([^)\s]+)\)/g;
const scriptPattern = /\bnpm run ([\w:-]+)/g;
const commandPattern = /(?:`|^|\$ )satline ([a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*)?)((?:\\\n|[^`\n])*)/gm;
const optionPattern = /(?<=[\s`])--[a-z]+(?:-[a-z]+)*/g;
/** Of every command, and not on the generated page. */
const commonOptions = ['--help', '--json'];
const variablePattern = /`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g;

/** @param {string} root the repository @returns {string[]} one line per fault */
export function findFaults(root) {
  const pages = new Map(markdownFiles(root).map((name) => [name, readFileSync(join(root, name), 'utf8')]));
  const scripts = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts);
  const commands = knownCommands(pages);
  const variables = knownVariables(root, pages);
  const linked = new Set(['README.md']);
  const faults = [];

  for (const [name, text] of pages) {
    const fault = (what) => faults.push(`${name}: ${what}`);
    for (const [, target] of text.matchAll(linkPattern)) {
      if (/^[a-z]+:/i.test(target)) continue;
      const [path, anchor] = target.split('#');
      const file = path === '' ? name : relative(root, join(root, dirname(name), path));
      linked.add(file);
      if (!existsSync(join(root, file))) fault(`links to ${target}, which is not there`);
      else if (anchor && pages.has(file) && !anchorsOf(pages.get(file)).has(anchor)) {
        fault(`links to ${target}, and no heading there has that name`);
      }
    }
    for (const [path] of text.matchAll(pathPattern)) {
      if (!existsSync(join(root, path.replace(/[.,]+$/, '')))) fault(`names ${path}, which is not there`);
    }
    for (const [, script] of text.matchAll(scriptPattern)) {
      if (!scripts.includes(script)) fault(`names npm run ${script}, which package.json does not have`);
    }
    for (const [, words, rest] of text.matchAll(commandPattern)) {
      // A command without subcommands may be followed by any word.
      const command = [words, words.split(' ')[0]].find((one) => commands.has(one));
      if (command === undefined) fault(`names satline ${words}, which is no command`);
      for (const [option] of command === undefined ? [] : rest.matchAll(optionPattern)) {
        if (!commands.get(command).has(option)) fault(`names ${option} of satline ${command}, which it does not have`);
      }
    }
    for (const [, variable] of text.matchAll(variablePattern)) {
      if (!variables.has(variable)) fault(`names the variable ${variable}, which nothing reads`);
    }
  }
  for (const name of pages.keys()) {
    if (name.startsWith('docs/') && !linked.has(name)) faults.push(`${name}: no page links to it`);
  }
  return faults;
}

function markdownFiles(root, folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !skipped.has(entry.name))
    .flatMap((entry) => {
      const name = join(folder, entry.name);
      if (entry.isDirectory()) return markdownFiles(root, name);
      return name.endsWith('.md') ? [name] : [];
    })
    .sort();
}

/** The commands of `src/cli/` with their options, by way of their generated page. */
function knownCommands(pages) {
  const page = pages.get('docs/generated/command-line.md') ?? '';
  const sections = page.split(/^## satline /m).slice(1);
  return new Map(
    sections.map((section) => {
      const options = [...section.matchAll(optionPattern)].map(([option]) => option);
      return [section.split('\n')[0], new Set([...commonOptions, ...options])];
    }),
  );
}

/** What `src/config.ts` reads, by way of its generated page, and what tests and scripts read besides. */
function knownVariables(root, pages) {
  const configuration = pages.get('docs/generated/configuration.md') ?? '';
  const names = new Set([...configuration.matchAll(/^\| `([A-Z_]+)`/gm)].map((match) => match[1]));
  for (const folder of ['test', 'scripts', 'bench', '.ci']) {
    if (!existsSync(join(root, folder))) continue;
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.(ts|js)$|^run$/.test(name)) continue;
      const text = readFileSync(join(root, folder, name), 'utf8');
      for (const [, variable] of text.matchAll(/\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/g)) names.add(variable);
    }
  }
  return names;
}

/** How the usual renderers name headings. */
function anchorsOf(text) {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1]);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = findFaults(dirname(dirname(fileURLToPath(import.meta.url))));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
