// Draws the imports of src/ as arrows and names each one that goes up a floor, closes a ring, or opens a door that is
// shut on purpose. What each floor is for: CONTRIBUTING.md. Types count as well: a ring of types is still two files
// that nobody can read one after the other.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** From top to bottom. `main` stands for the files that lie directly in src/. */
const floors = [
  ['main', 'cli'],
  ['surfaces', 'jobs'],
  ['resources'],
  ['operation'],
  ['flows'],
  ['wallets', 'events', 'rates', 'auth', 'entitlements', 'limits'],
  ['lightning', 'store'],
  ['model'],
  ['db'],
  ['kernel'],
];
const floorOf = new Map(floors.flatMap((rooms, floor) => rooms.map((room) => [room, floor])));

/** Rooms whose files may import only what is listed, besides each other. */
const onlyImports = {
  kernel: [],
  // They report facts; what a fact means for an order is for flows to decide.
  lightning: ['kernel/', 'model/connection.ts'],
  rates: ['kernel/'],
};

/** Doors that the floors alone would leave open. */
const shutDoors = [
  { from: 'surfaces/', to: /^(store|db)\//, why: 'surfaces go through perform() or flows' },
  { from: 'model/', to: /^db\//, why: 'model knows no database' },
];

/** Packages that are kept out of a room. */
const shutPackages = [
  { from: /^(model|store)\//, to: /^(fastify|undici|node:https?)$/, why: 'knows no HTTP' },
  { from: /^(?!db\/)/, to: /^(pg|@electric-sql\/.*)$/, why: 'only db/ speaks to a database' },
];

const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;
const exportFromPattern = /^export\s[^;=(]*\bfrom\s*'/m;

/** @param {string} source the folder src/ @returns {string[]} one line per fault, both files named */
export function findFaults(source) {
  const files = readdirSync(source, { recursive: true })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => /\.tsx?$/.test(name))
    .sort();
  const known = new Set(files);
  const arrows = new Map();
  const faults = [];

  for (const file of files) {
    if (!floorOf.has(roomOf(file))) faults.push(`${file}: ${roomOf(file)}/ stands on no floor; give it one`);
    const text = withoutComments(readFileSync(join(source, file), 'utf8'));
    faults.push(...barrelFaults(file, text));
    const imports = [...text.matchAll(importPattern)].map((match) => match[1]);
    for (const name of imports.filter((one) => !one.startsWith('.'))) {
      const shut = shutPackages.find(({ from, to }) => from.test(file) && to.test(name));
      if (shut) faults.push(`${file} → ${name}: ${shut.why}`);
    }
    const targets = imports
      .filter((one) => one.startsWith('.'))
      .map((one) =>
        relative(source, resolve(source, dirname(file), one))
          .split(sep)
          .join('/'),
      );
    // A missing file is the compiler's to report.
    arrows.set(file, [...new Set(targets)].filter((target) => known.has(target)).sort());
  }

  for (const [from, targets] of arrows) {
    for (const to of targets) {
      const why = whyNot(from, to);
      if (why) faults.push(`${from} → ${to}: ${why}`);
    }
  }
  for (const ring of findRings(arrows)) faults.push(`a ring: ${ring.join(' → ')}`);
  for (const ring of findRings(betweenRooms(arrows))) {
    const examples = ring.slice(1).map((to, index) => exampleOf(arrows, ring[index], to));
    faults.push(`a ring of rooms, ${ring.join(' → ')}: ${examples.join('; ')}`);
  }
  return faults;
}

function whyNot(from, to) {
  const [fromRoom, toRoom] = [roomOf(from), roomOf(to)];
  if (Number(floorOf.get(fromRoom)) > Number(floorOf.get(toRoom))) return `goes up from ${fromRoom} to ${toRoom}`;
  const allowed = onlyImports[fromRoom];
  if (allowed && fromRoom !== toRoom && !allowed.some((start) => to.startsWith(start))) {
    return `${fromRoom} may import only ${['itself', ...allowed].join(', ')}`;
  }
  const door = shutDoors.find((one) => from.startsWith(one.from) && one.to.test(to));
  if (door) return door.why;
  if (fromRoom === 'resources' && toRoom === 'resources' && from !== 'resources/index.ts') {
    const [fromNoun, toNoun] = [from.split('/')[1], to.split('/')[1]];
    if (fromNoun !== toNoun) return 'resources share through flows, model or store, never with each other';
  }
  return undefined;
}

// A barrel hides which file is meant, and that is how rings begin. The lists of operations are the exception.
function barrelFaults(file, text) {
  if (/^resources\/([^/]+\/)?index\.ts$/.test(file)) return [];
  if (/(^|\/)index\.ts$/.test(file))
    return [`${file}: only resources/ has index.ts; name the file after what it holds`];
  return exportFromPattern.test(text)
    ? [`${file}: passes on another file's exports; import from that file instead`]
    : [];
}

function roomOf(file) {
  return file.includes('/') ? file.split('/')[0] : 'main';
}

function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

function betweenRooms(arrows) {
  const rooms = new Map();
  for (const [from, targets] of arrows) {
    const others = targets.map(roomOf).filter((room) => room !== roomOf(from));
    rooms.set(roomOf(from), [...new Set([...(rooms.get(roomOf(from)) ?? []), ...others])]);
  }
  return rooms;
}

function exampleOf(arrows, fromRoom, toRoom) {
  for (const [from, targets] of arrows) {
    const to = targets.find((target) => roomOf(from) === fromRoom && roomOf(target) === toRoom);
    if (to) return `${from} → ${to}`;
  }
  return '';
}

/** One ring per arrow that leads back into the path being walked; enough to find and mend each. */
function findRings(arrows) {
  const rings = [];
  const done = new Set();
  const path = [];
  function walk(node) {
    if (done.has(node)) return;
    const at = path.indexOf(node);
    if (at >= 0) return void rings.push([...path.slice(at), node]);
    path.push(node);
    for (const next of arrows.get(node) ?? []) walk(next);
    path.pop();
    done.add(node);
  }
  for (const node of arrows.keys()) walk(node);
  return rings;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = findFaults(join(dirname(dirname(fileURLToPath(import.meta.url))), 'src'));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
