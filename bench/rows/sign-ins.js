// 200 sign-ins at once, and how many orders are created meanwhile over how many without them.
import { createDatabase } from '../parts/database.js';
import { load, newOrder, openInside } from '../parts/inside.js';
import { closedLoop, median, percentile, post } from '../parts/load.js';
import { startProduct } from '../parts/product.js';
import { ratio, rounds } from '../parts/rounds.js';

const clients = 16;
const people = 200;
const password = 'seven otters rowing home';

export async function signIns({ builds, seconds, count }) {
  const lines = [];
  for (const { name, dist } of builds) {
    const database = await createDatabase();
    const inside = await openInside(dist, database);
    const merchant = await inside.addMerchant();
    const { hashPassword } = await load(dist, 'auth/password.js');
    await database.query(
      `insert into users (id, email, password_hash, created_at, updated_at)
       select gen_random_uuid(), 'person-' || n || '@example.com', $1, now(), now() from generate_series(1, $2::integer) n`,
      [await hashPassword(password), people],
    );
    await inside.close();
    // Each comes from an address of its own, or most would be refused.
    const product = await startProduct({ dist, database, env: { TRUST_PROXY: '127.0.0.1' } });
    try {
      const order = post('/api/v1/m/orders', merchant.key, newOrder);
      const create = (duration) =>
        closedLoop({ urls: [product.url], connections: clients, seconds: duration, next: () => order });
      let wave = 0;
      const signIn = async () => {
        wave += 1;
        const requests = Array.from({ length: people }, (_, index) =>
          post(
            '/api/v1/m/sessions',
            undefined,
            { email: `person-${index + 1}@example.com`, password },
            `X-Forwarded-For: 10.${wave}.0.${index + 1}\r\n`,
          ),
        );
        const started = performance.now();
        // Everybody comes at once, and stays until the answer is there.
        const { answered } = await closedLoop({
          urls: [product.url],
          connections: people,
          seconds: 60,
          next: () => requests.pop(),
        });
        return { answered, seconds: (performance.now() - started) / 1000 };
      };
      const candidates = {
        quiet: create,
        crowded: async (duration) => {
          const coming = signIn();
          const result = await create(duration);
          return { ...result, signIns: await coming };
        },
      };
      const { quiet, crowded } = await rounds(candidates, { count, seconds });
      const rate = (results) => Math.round(median(results.map((result) => result.rate)));
      const p99 = (results) =>
        percentile(
          results.flatMap(({ latencies }) => latencies),
          0.99,
        ).toFixed(1);
      const done = crowded.map(({ signIns }) => signIns);
      lines.push({
        what: `orders while ${people} sign in at once, over orders without${name}`,
        value: ratio(crowded, quiet),
        wanted: 0.8,
        figures:
          `${rate(crowded)}/s against ${rate(quiet)}/s, p99 ${p99(crowded)} against ${p99(quiet)} ms; ` +
          `${median(done.map(({ answered }) => answered))} sign-ins took ${median(done.map(({ seconds }) => seconds)).toFixed(1)} s`,
      });
    } finally {
      await product.stop();
      await database.drop();
    }
  }
  return lines;
}
