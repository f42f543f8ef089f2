import { describe, expect, it } from "vitest";
import { createDistrust } from "../../../../infra/relay/management/distrust.ts";
import { MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import { virtualClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/silent-log.ts";

function world() {
  const reported: string[] = [];
  const clock = virtualClock();
  const watched = ["Cluster", "MachinePool", "Machine"].map((kind) => ({
    type: { cluster: MANAGEMENT, group: "cluster.x-k8s.io", kind },
    loop: { relist: () => void reported.push(`relist ${kind}`) },
  }));
  const store = {
    advance: async ({ kind }: { readonly kind: string }, progress: object) =>
      void reported.push(`${kind} ${JSON.stringify(progress)}`),
  };
  const { signal } = new AbortController();
  const onRestored = () => void reported.push("restored");
  const distrust = createDistrust({ store, clock, log: silentLog, signal, onRestored }, () => watched);
  const [clusters, pools, machines] = watched.map(({ loop }) => loop);
  if (clusters === undefined || pools === undefined || machines === undefined) throw new Error("unreachable");
  return { distrust, reported, clock, clusters, pools, machines };
}

describe("KR-12: a management server that was restored", () => {
  it("makes every type unreadable before any is listed again, but the one that was", async () => {
    const { distrust, reported, pools } = world();
    await distrust.allBut(pools);
    expect(reported).toEqual([
      "restored",
      'Cluster {"ready":false}',
      'Machine {"ready":false}',
      "relist Cluster",
      "relist Machine",
    ]);
  });

  it("distrusts a type until its list has come", async () => {
    const { distrust, clusters, pools } = world();
    await distrust.allBut(pools);
    expect([distrust.listed(pools), distrust.listed(clusters), distrust.listed(clusters)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("is noticed once, however many lists show it", async () => {
    const { distrust, reported, clock, clusters, pools } = world();
    await distrust.allBut(pools);
    const once = reported.length;
    await distrust.allBut(clusters);
    expect(reported).toHaveLength(once);
    await clock.advance(30 * SECOND);
    await distrust.allBut(clusters);
    expect(reported.slice(once)[0]).toBe("restored");
  });
});
