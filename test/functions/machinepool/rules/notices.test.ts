import { describe, expect, it } from "vitest";
import { nodeReport } from "../../../../functions/machinepool/rules/nodes.ts";
import { poolNotices } from "../../../../functions/machinepool/rules/notices.ts";
import type { MachinePool } from "../../../../shared/api/machinepool.ts";
import { machinePool, node, type Overrides } from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

const NODES = [node("n1"), node("n2")];

describe("poolNotices", () => {
  it("counts Nodes when the refs change and is silent when they do not", () => {
    const pool = machinePool();
    const report = nodeReport(pool, NODES, NOW);
    expect(poolNotices(pool, report)).toEqual([
      { type: "Normal", reason: "SuccessfulSetNodeRefs", message: "2 Nodes, 2 of them ready" },
    ]);
    expect(poolNotices(machinePool({ status: { nodeRefs: report.nodeRefs } }), report)).toEqual([]);
  });

  it("is silent while refs are kept", () => {
    const pool = machinePool();
    expect(poolNotices(pool, nodeReport(pool, undefined, NOW))).toEqual([]);
  });

  it("warns of a pool that comes near the size limit of an object", () => {
    const providerIDList = Array.from({ length: 4_000 }, (_, index) => `foo://${index}`);
    const warned = (overrides: Overrides<MachinePool>) => {
      const pool = machinePool({ spec: { providerIDList }, ...overrides });
      return poolNotices(pool, nodeReport(pool, undefined, NOW)).map(({ reason }) => reason);
    };
    expect(warned({})).toEqual(["TooManyInstances"]);
    expect(warned({ spec: { providerIDList: providerIDList.slice(1) } })).toEqual([]);
    expect(warned({ status: { observedGeneration: 1 } })).toEqual(["TooManyInstances"]);
    expect(warned({ status: { observedGeneration: 2 } })).toEqual([]);
  });
});
