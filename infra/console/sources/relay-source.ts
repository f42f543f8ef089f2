import * as z from "zod";
import { Connection } from "../../../shared/api/core.ts";
import { MANAGEMENT, objectKeyOf } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import { keptFor } from "../../kept-for.ts";
import { MAX_ITEMS } from "../api/page.ts";
import type { RelayAnswer } from "../api/relay.ts";
import type { Ports } from "../ports.ts";

/** A process with its `/status`, which another version of Capstan may have written. */
export interface SeenProcess {
  readonly id: string;
  readonly role: string;
  readonly version: string;
  /** RFC 3339. */
  readonly at: string;
  readonly status: unknown;
}

interface RelaySourceOptions {
  readonly processes: () => Promise<readonly SeenProcess[]>;
  readonly store: Store;
  readonly clock: Clock;
}

const CONNECTIONS_MS = 5 * SECOND;
const CONNECTIONS = { cluster: MANAGEMENT, group: Connection.group, kind: Connection.kind };

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

const loopSchema = z.object({
  name: z.string(),
  state: z.enum(["listing", "streaming", "backoff", "stopped"]),
  lists: z.int(),
  resourceVersion: z.string().optional(),
  pending: z.int(),
  undecodable: z.int(),
  reconnects: z.record(z.string(), z.int()),
  oversized: z.string().optional(),
});
const statusSchema = z.object({
  ready: z.boolean(),
  reasons: z.array(z.string()).default([]),
  functions: z.array(z.string()).default([]),
  worker: z.object({ running: z.int() }).optional().catch(undefined),
  relay: z
    .object({ loops: z.array(loopSchema) })
    .optional()
    .catch(undefined),
});

function rowOf({ id, role, version, at, status }: SeenProcess): RelayAnswer["processes"][number] {
  const { success, data } = statusSchema.safeParse(status);
  const shared = { id, role, version, seenAt: at };
  if (!success) {
    const reasons = ["the status of this process cannot be read: it is of another version of Capstan"];
    return { ...shared, ready: false, reasons, functions: [] };
  }
  const { worker, relay, ...rest } = data;
  return { ...shared, ...rest, running: worker?.running, watches: relay?.loops };
}
