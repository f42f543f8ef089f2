import { describe, expect, it } from "vitest";
import { fleetSchema } from "../../../../infra/console/api/fleet.ts";
import { startFleetIndex } from "../../../../infra/console/fleet/fleet-index.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { Connection } from "../../../../shared/api/core.ts";
import { MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { cluster } from "../../../support/builders.ts";
import { virtualClock } from "../../../support/clock.ts";
import { serveTestConsole } from "../../../support/console.ts";
import { allowingIn } from "../../../support/console-queue.ts";

const IDLE = {
  peek: async () => ({
    ready: 0,
    waiting: 0,
    running: 0,
    dead: 0,
    counts: { runs: 0, failures: 0, durations: [] },
  }),
  keys: async () => ({ items: [] }),
  keyState: async () => undefined,
  topTenants: async () => [],
};

describe("the fleet in the console", () => {
  it("has the Clusters of the namespaces that a person sees, and no sum of others", async () => {
    const clock = virtualClock();
    await using store = createMemoryStore();
    for (const { group, kind } of [Cluster, Connection]) {
      await store.advance({ cluster: MANAGEMENT, group, kind }, { ready: true, resourceVersion: "7" });
    }
    const type = { cluster: MANAGEMENT, group: Cluster.group, kind: Cluster.kind };
    for (const namespace of ["default", "private"]) {
      await store.put(type, cluster({ metadata: { namespace, name: "c1", uid: `uid-${namespace}` } }));
    }
    await using fleet = startFleetIndex({ store, queue: IDLE, functions: [], clock });
    await fleet.ready();
    const reviewer = allowingIn("default");
    const namespaces = async () => ["default", "private"];
    await using world = await serveTestConsole({
      clock,
      functions: [],
      ports: { fleet },
      reviewer,
      namespaces,
    });
    const headers = await world.logIn();
    const ask = (query: string) => world.ask(`/api/v1/fleet${query}`, { headers });

    const { items, total, counts } = fleetSchema.parse((await ask("")).body);
    expect(items).toMatchObject([{ namespace: "default", name: "c1" }]);
    expect(total).toBe(1);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(1);
    expect((await ask("?q=private")).body).toMatchObject({ items: [] });
    expect((await ask("?namespace=private")).body).toMatchObject({ items: [], total: 0 });
    for (const query of ["?next=foreign", "?limit=1e9", "?state=lost", `?q=${"x".repeat(10_000)}`]) {
      expect(await ask(query)).toMatchObject({ status: 400 });
    }
  });
});
