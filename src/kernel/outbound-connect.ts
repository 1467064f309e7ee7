import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { isRefusedAddress } from './outbound-address.ts';
import { refusedAddress } from './outbound-error.ts';

/** Resolves a host name to its addresses, IPv4 and IPv6. Tests put their own DNS here. */
export type HostLookup = (hostname: string) => Promise<readonly string[]>;

export const lookupHost: HostLookup = async (hostname) => {
  const answers = await systemLookup(hostname, { all: true });
  return answers.map((answer) => answer.address);
};

/** A connection that is not up by then is given up, also when the request that wanted it is gone. Milliseconds. */
const connectTimeoutMillis = 10_000;

interface AgentOptions {
  readonly allowPrivateNetworks: boolean;
  readonly lookup: HostLookup;
  readonly pinnedCertificate: string | undefined;
  /** More requests than that to one host wait, on their own time limit. */
  readonly connectionsPerOrigin: number;
}

/** A pool of connections per origin over the guarded connector. Pass `track` with each dispatch to learn the address. */
export function openAgent({ connectionsPerOrigin, ...options }: AgentOptions): Agent {
  return new Agent({
    connect: guardedConnector(options),
    factory: (origin, agentOptions) =>
      new Pool(origin, {
        ...agentOptions,
        connections: connectionsPerOrigin,
        factory: (poolOrigin, clientOptions) => new TrackedClient(poolOrigin, clientOptions as Client.Options),
      }),
  });
}

/**
 * Opens sockets to checked addresses only. The socket itself resolves through the guarded look-up, so there is no second
 * resolution between check and connection that could answer differently (DNS rebinding).
 */
function guardedConnector({
  allowPrivateNetworks,
  lookup,
  pinnedCertificate,
}: Omit<AgentOptions, 'connectionsPerOrigin'>): buildConnector.connector {
  const open = buildConnector({
    lookup: guardedLookup(allowPrivateNetworks, lookup),
    timeout: connectTimeoutMillis,
    ...pinned(pinnedCertificate),
  });
  return (target, callback) =>
    open(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      // Literal addresses never pass the look-up; this also backs it up should a later Node change how it is used.
      if (isRefusedAddress(socket.remoteAddress ?? '', allowPrivateNetworks)) {
        socket.destroy();
        return callback(refusedAddress(), null);
      }
      callback(null, socket);
    });
}

/** Whoever has the pinned certificate's key is the one that was meant; the name in it adds nothing. */
export function pinned(certificate: string | undefined): { ca?: string; checkServerIdentity?: () => undefined } {
  return certificate === undefined ? {} : { ca: certificate, checkServerIdentity: () => undefined };
}

/** A look-up for sockets that gives checked addresses only. */
export function guardedLookup(allowPrivateNetworks: boolean, lookup: HostLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      (addresses) => {
        // One bad address spoils the host: an honest one has no reason to publish a private address beside a public one.
        if (addresses.some((address) => isRefusedAddress(address, allowPrivateNetworks))) {
          return callback(refusedAddress(), '');
        }
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const first = found[0];
        if (!first) return callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
        if (options.all) return callback(null, found);
        callback(null, first.address, first.family);
      },
      (error) => callback(error, ''),
    );
  };
}

/** One socket of a pool, which remembers where it leads. */
class TrackedClient extends Client {
  #address = '';

  constructor(origin: string | URL, options: Client.Options) {
    const connect = options.connect as ReturnType<typeof guardedConnector>;
    super(origin, {
      ...options,
      connect: (target, callback) =>
        connect(target, (...result) => {
          this.#address = result[1]?.remoteAddress ?? '';
          callback(...result);
        }),
    });
  }

  get address(): string {
    return this.#address;
  }

  override dispatch(options: TrackedOptions, handler: Dispatcher.DispatchHandler): boolean {
    options.track.client = this;
    return super.dispatch(options, handler);
  }
}

/** Dispatch options with a place for the client that takes the request. */
export type TrackedOptions = Dispatcher.DispatchOptions & { track: { client?: TrackedClient } };
