// A wallet behind a lightning address, in a process of its own. Its invoices were signed before the first is asked for,
// so that what is measured is the product's work, checks of the signature included, and not the wallet's.
//   node wallet.js <dist> <invoices> <msat>
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { load } from './inside.js';

const [dist, count, msat] = process.argv.slice(2);
const { encodeBolt11 } = await load(dist, 'lightning/bolt11-encode.js');
const nodeKey = createHash('sha256').update('bench wallet').digest();
const metadata = JSON.stringify([['text/plain', 'Bench']]);
const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const descriptionHash = sha256(metadata);

function sign(amountMsat) {
  const preimage = randomBytes(32);
  const paymentHash = sha256(preimage);
  const fields = {
    network: /** @type {const} */ ('regtest'),
    amountMsat,
    timestamp: new Date(),
    expirySeconds: 3600,
    paymentHash,
    paymentSecret: randomBytes(32).toString('hex'),
    describedBy: { descriptionHash },
  };
  return { pr: encodeBolt11(fields, nodeKey), paymentHash, preimage: preimage.toString('hex') };
}

const ready = Array.from({ length: Number(count) }, () => sign(BigInt(msat)));
/** By payment hash: the invoice, whether it is paid, and when it was asked about. */
const given = new Map();
let port = 0;

function answer(url) {
  const [, first, second] = url.pathname.split('/');
  if (first === '.well-known') {
    const callback = `http://localhost:${port}/callback`;
    return { tag: 'payRequest', callback, minSendable: 1000, maxSendable: 100_000_000_000, metadata };
  }
  if (first === 'callback') {
    const amount = url.searchParams.get('amount');
    const invoice = (amount === msat ? ready.pop() : undefined) ?? sign(BigInt(amount));
    given.set(invoice.paymentHash, { ...invoice, settled: false, looks: [] });
    return { pr: invoice.pr, routes: [], verify: `http://localhost:${port}/verify/${invoice.paymentHash}` };
  }
  const invoice = given.get(second);
  if (!invoice) return { status: 'ERROR', reason: 'Not found' };
  invoice.looks.push(performance.now());
  const { settled, preimage, pr } = invoice;
  return { status: 'OK', settled, preimage: settled ? preimage : null, pr };
}

const server = createServer((request, response) => {
  const body = JSON.stringify(answer(new URL(request.url ?? '/', 'http://localhost')));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, 'localhost', () => {
  port = /** @type {import('node:net').AddressInfo} */ (server.address()).port;
  process.send?.({ port });
});
process.on('message', ({ settle, tell }) => {
  if (settle) given.get(settle).settled = true;
  if (tell) process.send?.({ looks: Object.fromEntries([...given].map(([hash, { looks }]) => [hash, looks])) });
});
process.on('disconnect', () => process.exit());
