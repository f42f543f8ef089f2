import { afterEach, describe, expect, it, vi } from "vitest";
import { printSummary } from "../../../../infra/cli/up/run-up.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { cluster, machinePool } from "../../../support/builders.ts";

const CAPI = { cluster: "management", group: "cluster.x-k8s.io" };

describe("the summary at the end of capstan up", () => {
  afterEach(() => vi.restoreAllMocks());

  it("has a row per Cluster and MachinePool, and is nothing without them", async () => {
    const print = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    await using store = createMemoryStore();
    await printSummary(store);
    expect(print).not.toHaveBeenCalled();
    await store.put({ ...CAPI, kind: "Cluster" }, [cluster({ status: { phase: "Provisioned" } })]);
    await store.put({ ...CAPI, kind: "MachinePool" }, [
      machinePool({ status: { phase: "Running", nodeRefs: [{ name: "n1" }, { name: "n2" }] } }),
    ]);
    await printSummary(store);
    const lines = String(print.mock.calls[0]?.[0]).trim().split("\n");
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ["KIND", "NAMESPACE", "NAME", "PHASE", "DESIRED", "NODES", "AVAILABLE"],
      ["Cluster", "default", "c1", "Provisioned"],
      ["MachinePool", "default", "p1", "Running", "3", "2"],
    ]);
  });
});
