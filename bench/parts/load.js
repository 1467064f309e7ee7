// Load over plain sockets: requests are bytes made before, answers are counted. It costs the machine, which it shares
// with what is measured, about a third of what a general HTTP client does.
import { connect } from 'node:net';

export function get(path, key, headers = '') {
  return request('GET', path, key, '', headers);
}

export function post(path, key, body, headers = '') {
  return request('POST', path, key, JSON.stringify(body), headers);
}

function request(method, path, key, body, headers = '') {
  const credential = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
  const content = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: bench\r\n${credential}${headers}${content}\r\n${body}`);
}

/** One kept connection. */
class Connection {
  #socket;
  #head = '';
  #chunks = [];
  #left = -1;
  #status = 0;
  #settle;

  constructor(url) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('close', () => this.#settle?.reject(new Error('The server closed the connection')));
    this.#socket.on('error', () => {});
  }

  send(bytes) {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(bytes);
    });
  }

  close() {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #read(chunk) {
    if (this.#left < 0) {
      this.#head += chunk.latin1Slice();
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.#status = Number(this.#head.slice(9, 12));
      this.#left = Number(/\r\ncontent-length: (\d+)/i.exec(this.#head.slice(0, end + 2))?.[1] ?? 0);
      const rest = Buffer.from(this.#head.slice(end + 4), 'latin1');
      this.#head = '';
      this.#take(rest);
    } else this.#take(chunk);
  }

  #take(bytes) {
    this.#chunks.push(bytes);
    this.#left -= bytes.length;
    if (this.#left > 0) return;
    const { resolve } = this.#settle;
    const answer = { status: this.#status, chunks: this.#chunks };
    this.#left = -1;
    this.#chunks = [];
    resolve(answer);
  }
}

/** Sends one request and reads its JSON. */
export async function call(url, bytes) {
  const connection = new Connection(url);
  try {
    const { status, chunks } = await connection.send(bytes);
    const text = Buffer.concat(chunks).toString();
    if (status >= 300) throw new Error(`${status} ${text}`);
    return { text, body: text === '' ? undefined : JSON.parse(text) };
  } finally {
    connection.close();
  }
}

/**
 * As many requests as the servers take, from `connections` callers that each wait for their answer; the callers are
 * shared out over `urls`. `next()` gives the bytes of a request, or undefined when there is none left; `onAnswer`
 * is told of each with its milliseconds.
 * @param {object} load
 * @param {string[]} load.urls
 * @param {number} load.connections
 * @param {number} load.seconds
 * @param {() => Buffer | undefined} load.next
 * @param {(status: number, chunks: Buffer[], millis: number) => void} [load.onAnswer]
 * @param {boolean} [load.unchanged] whether 304 is the answer that is wanted
 * @param {boolean} [load.mayRefuse] refusals are part of what is measured, and not told
 */
export async function closedLoop({ urls, connections, seconds, next, onAnswer, unchanged = false, mayRefuse = false }) {
  const open = Array.from({ length: connections }, (_, index) => new Connection(urls[index % urls.length]));
  const latencies = [];
  const started = performance.now();
  const deadline = started + seconds * 1000;
  let failed = 0;
  async function run(connection) {
    for (;;) {
      const sent = performance.now();
      if (sent >= deadline) return;
      const bytes = next();
      if (bytes === undefined) return;
      const { status, chunks } = await connection.send(bytes);
      const millis = performance.now() - sent;
      if (unchanged ? status !== 304 : status >= 300) {
        if (failed++ === 0 && !mayRefuse) console.error(`First failed answer: ${status} ${Buffer.concat(chunks)}`);
      } else latencies.push(millis);
      onAnswer?.(status, chunks, millis);
    }
  }
  try {
    await Promise.all(open.map(run));
  } finally {
    for (const connection of open) connection.close();
  }
  const elapsed = (performance.now() - started) / 1000;
  return { rate: latencies.length / elapsed, answered: latencies.length, failed, latencies };
}

/**
 * Requests at a fixed pace whatever the answers do, over `urls` in turn. Latency counts from the moment a request was due,
 * so that a stall is charged to everyone who would have come during it.
 */
export async function openLoop({ urls, perSecond, requests }) {
  const idle = urls.map(() => []);
  const everyone = [];
  const latencies = [];
  let failed = 0;
  const started = performance.now();
  const sent = requests.map(async (bytes, index) => {
    const due = started + (index * 1000) / perSecond;
    await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
    const turn = index % urls.length;
    let connection = idle[turn].pop();
    if (!connection) {
      connection = new Connection(urls[turn]);
      everyone.push(connection);
    }
    const { status } = await connection.send(bytes);
    idle[turn].push(connection);
    if (status >= 300) failed++;
    else latencies.push(performance.now() - due);
  });
  await Promise.all(sent);
  for (const connection of everyone) connection.close();
  return { failed, latencies };
}

export function percentile(values, share) {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const median = (values) => percentile(values, 0.5);
