import type { ObjectKey } from "../../shared/api/kinds.ts";
import { WaitingError } from "../../shared/function/errors.ts";
import { startElected } from "./elected.ts";
import { type Relay, type RelayOptions, startRelay } from "./relay.ts";

export interface ElectedRelayOptions extends RelayOptions {
  /** The Lease in the management cluster. */
  readonly lease: ObjectKey;
  readonly identity: string;
}

/**
 * Starts a relay that works while it holds the lease. It is ready as a standby, too. Two relays at once are harmless
 * (delivery.ts), so the lease saves watches and is not a lock: no event is lost or handled twice when a leader notices
 * late that it was replaced.
 */
export function startElectedRelay(options: ElectedRelayOptions): Relay {
  const { server, lease, identity, clock, log } = options;
  const lead = () => startRelay(options);
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
