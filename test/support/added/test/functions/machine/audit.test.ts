import { describe, expect, it } from "vitest";
import { done, waitFor } from "../../../../../../shared/function/result.ts";
import { cluster, machine } from "../../../../builders.ts";
import { decide, given } from "../../../../world.ts";
import { machineAudit } from "../../../functions/machine/audit.ts";

describe("machine-audit", () => {
  it("holds a Machine", async () => {
    expect(await decide(machineAudit, given(cluster(), machine()))).toMatchObject({
      patch: [{ target: { name: "m1", uid: "uid-m1" }, operations: [{ op: "add" }] }],
      result: done,
    });
  });

  it("waits while the Cluster is paused", async () => {
    const paused = cluster({ spec: { paused: true } });
    expect(await decide(machineAudit, given(paused, machine()))).toEqual({
      result: waitFor("Cluster.spec.paused"),
    });
  });
});
