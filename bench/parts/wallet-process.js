import { fileURLToPath } from 'node:url';
import { startScript } from './process.js';

/** Starts the wallet of `wallet.js`, with `count` invoices of `msat` signed before it answers. */
export async function startWallet(dist, count, msat) {
  const path = fileURLToPath(new URL('./wallet.js', import.meta.url));
  const script = startScript(path, [dist, String(count), String(msat)]);
  const { port } = await script.message((message) => message.port !== undefined);
  return {
    address: `bench@localhost:${port}`,
    /** When each invoice was asked about, by payment hash. */
    async looks() {
      const answer = script.message((message) => message.looks !== undefined);
      script.child.send({ tell: true });
      return (await answer).looks;
    },
    stop: script.stop,
  };
}
