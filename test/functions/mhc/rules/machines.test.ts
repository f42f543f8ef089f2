import { describe, expect, it } from "vitest";
import { decideMachines } from "../../../../functions/mhc/rules/machines.ts";
import type { Reader } from "../../../../shared/function/reads.ts";
import { at, badNode, limitedCheck, machineWith, succeeded } from "../../../support/checked-machines.ts";
import { upCluster } from "../../../support/health-checks.ts";
import { NOW } from "../../../support/world.ts";

describe("ten thousand targets", () => {
  it("MHC-12.6: are judged in one run without a request, and at most once a second", async () => {
    const check = limitedCheck();
    const targets = Array.from({ length: 10_001 }, (_, index) => machineWith(`m${index}`, succeeded()));
    const nodes = new Map(
      targets.map(({ metadata: { name } }) => [name, badNode(name, at("11:50:00"))] as const),
    );
    const scene = { check, cluster: upCluster(), targets, checks: [check], nodes };
    // Nothing is read but the policies, of which there are none.
    const read = { list: async () => [] } as unknown as Reader;
    const { patch, notBeforeMs } = await decideMachines({ read, now: NOW }, scene);
    expect(patch).toHaveLength(10_001);
    expect(notBeforeMs).toBe(1_001);
  });
});
