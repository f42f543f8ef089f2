import { describe, expect, it } from "vitest";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { staleExpiresInMs, staleMachines } from "../../../../shared/rules/machines/stale-machines.ts";
import { machineCondition } from "../../../support/builders.ts";
import { setMachine } from "../../../support/foo-sets.ts";
import { NOW } from "../../../support/world.ts";

const AN_HOUR_AGO = "2026-01-01T11:00:00Z";

function draining(
  name: string,
  message: string,
  nodeDrainStartTime = AN_HOUR_AGO,
  reason = "DrainingNode",
): Machine {
  return setMachine(name, {
    metadata: { deletionTimestamp: AN_HOUR_AGO },
    status: {
      deletion: { nodeDrainStartTime },
      conditions: [machineCondition("Deleting", "True", reason, message)],
    },
  });
}

describe("Machines whose deletion takes long", () => {
  it("are named, three of them", () => {
    const names = ["m4", "m2", "m1", "m3"];
    const going = names.map((name) => setMachine(name, { metadata: { deletionTimestamp: AN_HOUR_AGO } }));
    expect(staleMachines(going.slice(0, 1), NOW)).toBe("Machine m4 is in deletion since more than 15m");
    expect(staleMachines(going, NOW)).toBe(
      "Machines m1, m2, m3, ... (1 more) are in deletion since more than 15m",
    );
  });

  it("come with the reasons of all drains that take more than five minutes, each once", () => {
    const machines = [
      draining("m1", "* Pods a/b: waiting for completion"),
      draining("m2", "* Pods a/c: deletionTimestamp set, but still not removed from the Node"),
      draining("m3", "* Pods a/d: waiting for completion"),
      draining("m4", "failed to evict Pod", "2026-01-01T11:58:00Z"),
      draining("m5", "failed to evict Pod", AN_HOUR_AGO, "WaitingForVolumeDetach"),
    ];
    expect(staleMachines(machines, NOW)).toBe(
      "Machines m1, m2, m3, ... (2 more) are in deletion since more than 15m, delay likely due to Pods not terminating, Pods not completed yet",
    );
  });

  it("become so 15 minutes after their deletion", () => {
    const young = setMachine("m1", { metadata: { deletionTimestamp: "2026-01-01T11:50:00Z" } });
    expect(staleMachines([young, setMachine("m2")], NOW)).toBeUndefined();
    expect(staleExpiresInMs([young, setMachine("m2"), draining("m3", "")], NOW)).toBe(5 * 60_000);
    expect(staleExpiresInMs([setMachine("m2")], NOW)).toBeUndefined();
  });
});
