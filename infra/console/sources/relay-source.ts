import { Connection } from "../../../shared/api/core.ts";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { cachedFor } from "../../platform/cached-answers.ts";
import { createTimeSlices } from "../../platform/kube/list-bounds.ts";
import type { LivingProcess } from "../../queue/heartbeats/heartbeats.ts";
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
  const connections = cachedFor(CONNECTIONS_MS, clock, () => readConnections(store, clock));
  return async () => ({
    processes: (await processes()).slice(0, MAX_ITEMS).map(rowOf),
    ...(await connections()),
  });
}

/** Holds one connection at a time, and rows of those that fail: the longest first, then by name. */
async function readConnections(store: Pick<Store, "each">, clock: Clock) {
  const failing: RelayAnswer["connections"][number][] = [];
  let connected = 0;
  const turn = createTimeSlices(clock);
  for await (const one of store.each(CONNECTIONS) as AsyncIterable<Connection>) {
    const { state, nodesComplete, message: reason, failingSince: since } = one.status;
    if (state === "connected" && nodesComplete) connected += 1;
    else failing.push({ ...objectKeyOf(one), state, reason, since });
    await turn();
  }
  const placeOf = ({ since = "", namespace, name }: (typeof failing)[number]) =>
    `${since} ${namespace}/${name}`;
  const connections = failing.toSorted((a, b) => compareText(placeOf(a), placeOf(b))).slice(0, MAX_ITEMS);
  return { connections, connected };
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
