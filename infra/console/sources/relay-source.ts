import { Connection } from "../../../shared/api/core.ts";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { managementType } from "../../../shared/runtime/management-type.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import type { LivingProcess } from "../../heartbeats/heartbeats.ts";
import { keptFor } from "../../kept-for.ts";
import { MAX_ITEMS } from "../api/page.ts";
import type { RelayAnswer } from "../api/relay.ts";
import type { Ports } from "../ports.ts";

interface RelaySourceOptions {
  readonly processes: () => Promise<readonly LivingProcess[]>;
  readonly store: Store;
  readonly clock: Clock;
}

const CONNECTIONS_MS = 5 * SECOND;
const CONNECTIONS = managementType(Connection);

/** Shows processes by their own words, and connections by the records of the relay. */
export function createRelaySource({
  processes,
  store,
  clock,
}: RelaySourceOptions): NonNullable<Ports["relay"]> {
  const connections = keptFor(CONNECTIONS_MS, clock, async () => {
    const all = (await store.list(CONNECTIONS, {})) as readonly Connection[];
    const failing = all.filter(({ status }) => status.state !== "connected" || !status.nodesComplete);
    const rows = failing.map((one) => ({
      ...objectKeyOf(one),
      state: one.status.state,
      reason: one.status.message,
      since: one.status.failingSince,
    }));
    return {
      connections: rows.toSorted((a, b) => ((a.since ?? "") < (b.since ?? "") ? -1 : 1)).slice(0, MAX_ITEMS),
      connected: all.length - failing.length,
    };
  });
  return async () => ({
    processes: (await processes()).slice(0, MAX_ITEMS).map(rowOf),
    ...(await connections()),
  });
}

function rowOf({ roles, watches, seenAt, ...process }: LivingProcess): RelayAnswer["processes"][number] {
  const { id, version, ready, reasons, functions, running } = process;
  return {
    id,
    role: roles.join(", "),
    version,
    ready,
    reasons,
    functions,
    running,
    seenAt: seenAt.toISOString(),
    watches: watches?.map(
      ({ name, state, lists, resourceVersion, pending, undecodable, reconnects, oversized }) => ({
        name,
        state,
        lists,
        resourceVersion,
        pending,
        undecodable,
        reconnects,
        oversized,
      }),
    ),
  };
}
