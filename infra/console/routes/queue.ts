import { SECOND } from "../../../shared/function/backoff.ts";
import type { QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import { MAX_ITEMS } from "../api/page.ts";
import { keysQuerySchema, keysSchema, type QueueItem, queueSchema, tenantsSchema } from "../api/queue.ts";
import type { Viewer } from "../viewer.ts";
import { fullPage, functionNamed, objectOf, seesKey, shownState } from "./require.ts";
import { defineRoute } from "./route.ts";

export const queue = defineRoute(
  {
    method: "GET",
    path: "/queue",
    summary: "Returns the keys of every function: ready, waiting, running, dead.",
    needs: ["queue", "unserved"],
    answer: queueSchema,
  },
  async ({ viewer, ports }, { functions }) => {
    const [items, unserved] = await Promise.all([
      Promise.all(functions.map(({ spec: { name } }) => itemFor(viewer, ports.queue, name))),
      ports.unserved(),
    ]);
    const missing = new Set(unserved.map(({ function: name }) => name));
    return {
      items: items.map((item) => (missing.has(item.function) ? { ...item, unserved: true } : item)),
      all: viewer.sight === "all",
    };
  },
  () => ({ keysOf: "all", everyMs: COUNTED_MS }),
);

/** Ages and rates of the last minute change by themselves. */
const COUNTED_MS = 10 * SECOND;

export const tenants = defineRoute(
  {
    method: "GET",
    path: "/queue/{function}/tenants",
    summary: "Returns the tenants with the most keys that are not idle.",
    needs: ["queue"],
    answer: tenantsSchema,
  },
  async ({ viewer, params, ports }, { functions }) => {
    const { name } = functionNamed(functions, params["function"]).spec;
    const namespaces = viewer.sight === "all" ? undefined : viewer.sight;
    return { items: await ports.queue.topTenants(name, MAX_ITEMS, namespaces) };
  },
  ({ params: { function: name = "" } }) => ({ keysOf: [name] }),
);

export const keys = defineRoute(
  {
    method: "GET",
    path: "/queue/{function}/keys",
    summary: "Returns the keys of a function in one state; those that move first come first.",
    needs: ["queue"],
    query: keysQuerySchema,
    answer: keysSchema,
  },
  async ({ viewer, params, query: { state, tenant, limit, next }, ports }, { functions }) => {
    const { name } = functionNamed(functions, params["function"]).spec;
    const { items, ...rest } = await fullPage(
      { limit, after: next },
      {
        read: (part) => ports.queue.keys(name, { state, tenant, ...part }),
        isWanted: ({ key }) => seesKey(viewer, key),
      },
    );
    const rows = items.map((row) => ({ ...shownState(row), key: row.key, object: objectOf(row.key) }));
    return { function: name, ...rest, items: rows };
  },
  (_, { function: name }) => ({ keysOf: [name] }),
);

async function itemFor(viewer: Viewer, reader: QueueReader, name: string): Promise<QueueItem> {
  const peek = await reader.peek(name);
  if (viewer.sight === "all") return { function: name, ...peek };
  // Ages and rates would show those of other namespaces.
  const { paused, pausedInBullmq, breakerOpen } = peek;
  const counts = await reader.countsIn(name, viewer.sight);
  return { function: name, ...counts, paused, pausedInBullmq, breakerOpen };
}
