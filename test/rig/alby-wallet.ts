/** A wallet out of another party's code: the wallet service of Alby's SDK, in front of one node. */
import { finalizeEvent, nip04, nip44 } from 'nostr-tools';
import { getPublicKey } from 'nostr-tools/pure';
import WebSocket from 'ws';
import { NwcDesk } from './nwc-desk.ts';
import type { RelayServer } from './relay.ts';
import { type ReceivingNode, WalletBook } from './wallet-book.ts';

// The SDK takes the WebSocket of its surroundings when it is loaded, and Node 20 has none.
Object.assign(globalThis, { WebSocket });
const { NWCClient, NWCWalletService, NWCWalletServiceKeyPair } = await import('@getalby/sdk/nwc');

export { NWCClient };

export interface AlbyWallet {
  uri(): string;
  stop(): void;
}

type Methods = Parameters<InstanceType<typeof NWCWalletService>['publishWalletServiceInfoEvent']>[1];

const methods = ['get_info', 'make_invoice', 'lookup_invoice'] as const;

/** Its connection may make and look up invoices, and it sends notifications in both encryptions, as NIP-47 wants. */
export async function startAlbyWallet(
  node: ReceivingNode,
  relay: RelayServer,
  keys: { wallet: string; client: string },
): Promise<AlbyWallet> {
  const book = new WalletBook(node);
  const desk = new NwcDesk(book);
  const walletKey = Buffer.from(keys.wallet, 'hex');
  const clientPubkey = getPublicKey(Buffer.from(keys.client, 'hex'));
  const service = new NWCWalletService({ relayUrl: relay.address });
  const answer = async (method: string, params: object = {}) =>
    desk.answer(methods, method, params as Record<string, unknown>) as never;
  await service.publishWalletServiceInfoEvent(keys.wallet, [...methods] as Methods, ['payment_received']);
  const unsubscribe = await service.subscribe(new NWCWalletServiceKeyPair(keys.wallet, clientPubkey), {
    getInfo: () => answer('get_info'),
    makeInvoice: (request) => answer('make_invoice', request),
    lookupInvoice: (request) => answer('lookup_invoice', request),
  });
  let isOver = false;
  book.onPaid(
    (invoice) => {
      const text = JSON.stringify({ notification_type: 'payment_received', notification: desk.shown(invoice) });
      const conversation = nip44.getConversationKey(walletKey, clientPubkey);
      const contents = {
        23197: nip44.encrypt(text, conversation),
        23196: nip04.encrypt(walletKey, clientPubkey, text),
      };
      for (const [kind, content] of Object.entries(contents)) {
        const created_at = Math.floor(Date.now() / 1000);
        relay.publish(
          finalizeEvent({ kind: Number(kind), created_at, tags: [['p', clientPubkey]], content }, walletKey),
        );
      }
    },
    () => isOver,
    { pushes: () => [0] },
  );
  return {
    uri: () =>
      `nostr+walletconnect://${getPublicKey(walletKey)}?relay=${encodeURIComponent(relay.address)}&secret=${keys.client}`,
    stop() {
      isOver = true;
      unsubscribe();
      service.close();
    },
  };
}
