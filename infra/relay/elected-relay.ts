import type { ObjectKey } from "../../shared/api/kinds.ts";
import { WaitingError } from "../../shared/function/errors.ts";
import type { Store } from "../../shared/runtime/ports.ts";
import { startElected } from "./elected.ts";
import { type Relay, type RelayOptions, startRelay } from "./relay.ts";

export interface ElectedRelayOptions extends RelayOptions {
  /** The Lease in the management cluster. */
  readonly lease: ObjectKey;
  readonly identity: string;
}

/**
 * Starts a relay that works while it holds the lease. It is ready as a standby, too. No event is lost or handled twice when
 * a leader notices late that it was replaced (delivery.ts), and one that was stopped meanwhile stores nothing any more: the
 * list that it had begun is older than that of its successor.
 */
export function startElectedRelay(options: ElectedRelayOptions): Relay {
  const { server, lease, identity, clock, log } = options;
  const lead = (mayWrite: () => void) =>
    startRelay({ ...options, store: fencedStore(options.store, mayWrite) });
  const client = server.as("relay");
  const elected = startElected({ client, lease, identity, clock, log, role: "relay", lead });
  return {
    clients: {
      of(cluster, functionName, sending) {
        if (elected.work === undefined) throw new WaitingError(`Lease ${lease.namespace}/${lease.name}`);
        return elected.work.clients.of(cluster, functionName, sending);
      },
    },
    ready: elected.ready,
    status: () => ({
      ...(elected.work?.status() ?? { ready: elected.leader !== undefined, loops: [], connections: [] }),
      election: { identity, leader: elected.leader },
    }),
    followed: () => elected.work?.followed() ?? [],
    [Symbol.asyncDispose]: () => elected[Symbol.asyncDispose](),
  };
}

/** The same store; nothing is written to it from when `mayWrite` throws. */
function fencedStore(store: Store, mayWrite: () => void): Store {
  const fenced =
    <Args extends readonly unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      mayWrite();
      return write(...args);
    };
  return {
    ...store,
    put: fenced(store.put),
    remove: fenced(store.remove),
    advance: fenced(store.advance),
    drop: fenced(store.drop),
  };
}
