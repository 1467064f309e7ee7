// From starting the process to its first answer, and the memory it holds then: embedded database on its first start and
// later, and PostgreSQL.
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../parts/database.js';
import { median } from '../parts/load.js';
import { startProduct, temporaryDirectory } from '../parts/product.js';

const times = 3;

export async function start({ builds }) {
  const lines = [];
  for (const { name, dist } of builds) {
    const first = [];
    const warm = [];
    const server = [];
    for (let time = 0; time < times; time++) {
      const directory = temporaryDirectory();
      first.push(await once({ dist, dataDir: directory.path }));
      warm.push(await once({ dist, dataDir: directory.path }));
      directory.remove();
      const database = await createDatabase();
      await once({ dist, database });
      server.push(await once({ dist, database }));
      await database.drop();
    }
    const seconds = (runs) => median(runs.map(({ startMillis }) => startMillis)) / 1000;
    const megabytes = (runs) => median(runs.map(({ rss }) => rss));
    const line = (what, value, wanted, stretch, figures = '') =>
      lines.push({ what: `${what}${name}`, value, atMost: true, wanted, stretch, figures });
    line('start, embedded, warm, s', seconds(warm), 2, 1);
    line('start, embedded, first, s', seconds(first), 4, 2);
    line('memory after start, embedded, MB', megabytes(warm), 450, 350);
    line(
      'memory after start, PostgreSQL, MB',
      megabytes(server),
      120,
      90,
      `started in ${seconds(server).toFixed(2)} s`,
    );
  }
  return lines;
}

async function once(options) {
  const product = await startProduct(options);
  try {
    await sleep(1000);
    return { startMillis: product.startMillis, rss: product.rssMegabytes() };
  } finally {
    await product.stop();
  }
}
