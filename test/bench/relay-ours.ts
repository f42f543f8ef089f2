import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { createMemoryStore } from "../../infra/queue/backends/embedded/store.ts";
import { createRedisStore } from "../../infra/queue/backends/redis/store/store.ts";
import { createDelivery } from "../../infra/relay/delivery/delivery.ts";
import { snapshotOf } from "../../infra/relay/snapshot.ts";
import { createTurns } from "../../infra/relay/turns.ts";
import { createBudget } from "../../infra/relay/watch/budget.ts";
import { startWatchLoop } from "../../infra/relay/watch/watch-loop.ts";
import { nodesOf } from "../../infra/relay/workload/workload-nodes.ts";
import { loadFunctions } from "../../infra/worker/load.ts";
import { type KubeObject, MANAGEMENT } from "../../shared/api/kinds.ts";
import type { Log, Store } from "../../shared/runtime/ports.ts";
import type { Queue, QueueEntry } from "../../shared/runtime/queue/queue-port.ts";
import type { Contender } from "./contender.ts";
import { kindOfLoad } from "./relay-load.ts";

const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: console.error,
};

/** Watch loops with read model and enqueue decision; the queue only counts. */
export async function createOurs(redisUrl: string | undefined): Promise<Contender> {
  const store: Store =
    redisUrl === undefined ? createMemoryStore() : await createRedisStore({ url: redisUrl, log: SILENT });
  const abort = new AbortController();
  let jobs = 0;
  const enqueue = async (_name: string, entries: readonly QueueEntry[]) => {
    jobs += entries.length;
  };
  const delivery = createDelivery({
    functions: await loadFunctions(["machinepool-*", "cluster-*"]),
    store,
    queue: { enqueue } as unknown as Queue,
    clock: systemClock,
    log: SILENT,
    signal: abort.signal,
    onChange: () => undefined,
  });
  void delivery.open();
  const open = new AsyncDisposableStack();
  return {
    jobs: () => jobs,
    async follow({ url, load, name, untrusted }, on) {
      const kind = kindOfLoad(load);
      const key = { namespace: "default", name };
      const type =
        load.kind === "Node" ? nodesOf(key) : { cluster: MANAGEMENT, group: kind.group, kind: kind.kind };
      const server = open.use(createServer({ server: url }, { clock: systemClock }));
      const reduce = (object: KubeObject) => snapshotOf(object, []);
      open.use(
        startWatchLoop({
          name,
          client: server.as("relay"),
          kind,
          clock: systemClock,
          log: SILENT,
          lists: createTurns(4),
          budget: untrusted === true ? createBudget(systemClock) : undefined,
          consumer: {
            reduce,
            async listed(items, { resourceVersion }) {
              await delivery.replace(type, items, { resourceVersion, priority: "live" });
              jobs = 0;
              on.listed();
            },
            async changed(objects) {
              await delivery.put(type, objects.map(reduce), "live");
              for (const object of objects) on.changed(object);
            },
            deleted: (object) => delivery.remove(type, object),
          },
        }),
      );
    },
    async [Symbol.asyncDispose]() {
      await open.disposeAsync();
      abort.abort();
      await store[Symbol.asyncDispose]();
    },
  };
}
