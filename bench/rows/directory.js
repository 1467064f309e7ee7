// Searches of the public directory: 24 channels and the total, at 100,000 channels over 1,000. A word finds one channel in
// a hundred, part of a word as many, two words one in ten thousand.
import { createDatabase } from '../parts/database.js';
import { load, openInside } from '../parts/inside.js';
import { call, get, median } from '../parts/load.js';
import { startProduct } from '../parts/product.js';

const sizes = [1000, 100_000];
const searches = {
  'a word': 'q=topic42',
  'part of a word': 'q=opic42',
  'two words': 'q=topic42%20mood07',
  'a word in a category': 'q=mood07&category=category3',
  'a name': 'q=channel%20777',
};

export async function directory({ builds, seconds }) {
  const lines = [];
  for (const { name, dist } of builds) {
    const products = [];
    const databases = [];
    try {
      for (const count of sizes) {
        const database = await createDatabase();
        databases.push(database);
        await (await openInside(dist, database)).close();
        await fillChannels(database, dist, count);
        await database.query('vacuum analyze');
        products.push(await startProduct({ dist, database }));
      }
      const figures = [];
      const ratios = [];
      for (const [search, query] of Object.entries(searches)) {
        const [small50, big50] = await measure(products, get(`/api/v1/pub/channels?${query}`), seconds);
        ratios.push(big50 / small50);
        figures.push(`${search} ${small50.toFixed(1)} → ${big50.toFixed(1)} ms`);
      }
      lines.push({
        what: `search the directory, p50 at 100,000 channels over 1,000, worst search${name}`,
        value: Math.max(...ratios),
        atMost: true,
        wanted: 3,
        stretch: 1.5,
        figures: figures.join(', '),
      });
    } finally {
      for (const product of products) await product.stop();
      for (const database of databases) await database.drop();
    }
  }
  return lines;
}

async function measure(products, bytes, seconds) {
  const warmUp = 5;
  const taken = products.map(() => []);
  const deadline = performance.now() + seconds * 1000;
  for (let turn = -warmUp; turn < 0 || performance.now() < deadline; turn++) {
    for (const [index, { url }] of products.entries()) {
      const sent = performance.now();
      await call(url, bytes);
      if (turn >= 0) taken[index].push(performance.now() - sent);
    }
  }
  return taken.map(median);
}

async function fillChannels(database, dist, count) {
  const { searchWords } = await load(dist, 'model/channel-search.js');
  const batch = 5000;
  for (let first = 0; first < count; first += batch) {
    const rows = Array.from({ length: Math.min(batch, count - first) }, (_, index) => {
      const n = first + index;
      const bio = `All about mood${String(Math.floor(n / 100) % 100).padStart(2, '0')} and whatever else comes up on a long day.`;
      const row = {
        slug: `channel-${n}`,
        name: `Channel ${n} topic${String(n % 100).padStart(2, '0')}`,
        category: `category${n % 10}`,
        bio,
      };
      return { ...row, n, words: searchWords({ ...row, merchantName: null }) };
    });
    await database.query(
      `insert into channels (id, livemode, slug, name, category, bio, search, created_at, updated_at)
       select gen_random_uuid(), true, r.slug, r.name, r.category, r.bio,
              array_to_tsvector(array(select json_array_elements_text(r.words))), at, at
         from json_to_recordset($1) r(slug text, name text, category text, bio text, n integer, words json),
              lateral (select now() - r.n * interval '1 minute' as at) t`,
      [JSON.stringify(rows)],
    );
  }
}
