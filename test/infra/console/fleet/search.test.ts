import { describe, expect, it } from "vitest";
import { machinepoolMachines } from "../../../../functions/machinepool/machines.ts";
import type { FleetIndex } from "../../../../infra/console/fleet/fleet-index.ts";
import { search } from "../../../../infra/console/fleet/search.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { groupOf, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { headOf } from "../../../../shared/runtime/letters/dead-letter.ts";
import { machine, machinePool } from "../../../support/builders.ts";
import { deadLetter } from "../../../support/letters.ts";

const items = [
  { namespace: "default", name: "p1-cluster", state: "dead", reason: "machine-node has given up" },
];
const fleet = { page: () => ({ items }) } as unknown as Pick<FleetIndex, "page">;

const RUN = "00f3a1b2c3d4e5f6";
const RAN = { function: "machine-node", key: "default/c1|Machine|default/m1" };

async function found(q: string, sight: "all" | ReadonlySet<string> = "all") {
  await using store = createMemoryStore();
  for (const object of [machinePool(), machine("m1")]) {
    await store.put({ cluster: MANAGEMENT, group: groupOf(object.apiVersion), kind: object.kind }, [object]);
  }
  const letters = { page: async () => ({ items: [headOf(deadLetter())] }) };
  const runs = { find: async (id: string) => (id === RUN ? RAN : undefined) };
  const sources = { fleet, store, functions: [machinepoolMachines], letters, runs };
  const answer = await search(sources, { q, sight });
  return answer.map(({ place, title }) => `${place.type} ${title}`);
}

describe("the search", () => {
  it("finds objects, letters, functions and Clusters, what is called so first", async () => {
    expect(await found("default/p1")).toEqual([
      "object MachinePool default/p1",
      "letter machinepool-status default/c1|MachinePool|default/p1",
      "cluster Cluster default/p1-cluster",
    ]);
    expect(await found("machine default/m1")).toContain("object Machine default/m1");
    expect(await found("machinepool-ma")).toContain("function machinepool-machines");
  });

  it("finds an object by any part of its name, and as kubectl names it", async () => {
    for (const text of ["1", "p1", "machinepool/p1", "mp p1", "machinepools.cluster.x-k8s.io/default/p"])
      expect([text, ...(await found(text))]).toContain("object MachinePool default/p1");
    expect((await found("p1"))[0]).toBe("object MachinePool default/p1");
    expect(await found("machineset/p1")).not.toContain("object MachinePool default/p1");
  });

  it("finds a run by its whole id, among what the viewer sees", async () => {
    expect(await found(RUN)).toContain(`run ${RUN}`);
    expect(await found(` ${RUN} `)).toContain(`run ${RUN}`);
    const others = [RUN.slice(1), RUN.replace("00", "11")];
    for (const text of others) expect((await found(text)).join()).not.toContain("run ");
    expect((await found(RUN, new Set(["other"]))).join()).not.toContain("run ");
  });

  it("finds nothing of other namespaces, and nothing by a blank", async () => {
    const elsewhere = await found("default/p1", new Set(["other"]));
    expect(elsewhere.filter((one) => !one.startsWith("cluster"))).toEqual([]);
    expect(await found("   ")).toEqual([]);
  });
});
