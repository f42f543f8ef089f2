import { describe, expect, it } from "vitest";
import { createForeignWrites } from "../../../../infra/relay/management/foreign-writes.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { virtualClock } from "../../../support/clock.ts";

/** A Machine of which Capstan holds the phase, or another manager does. */
function version(holder: string, further: object = {}, label = "capstan"): KubeObject {
  const phase = { "f:status": { "f:phase": {}, ...further } };
  const counter = { "f:status": { "f:observedGeneration": {} } };
  const managedFields = [
    {
      manager: "capstan-machine-status",
      operation: "Apply",
      fieldsV1: holder === "capstan" ? phase : counter,
    },
    ...(holder === "capstan" ? [] : [{ manager: holder, operation: "Update", fieldsV1: phase }]),
  ];
  const labels = { "cluster.x-k8s.io/watch-filter": label };
  const metadata = { name: "m1", namespace: "default", uid: "u1", labels, managedFields };
  return { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", metadata } as KubeObject;
}

describe("writes of another controller", () => {
  it("count when it takes a field of Capstan the third time within 10 minutes (D-905)", () => {
    const clock = virtualClock();
    const writes = createForeignWrites(clock, "capstan");
    const take = () => {
      writes.note(version("capstan"));
      return writes.note(version("manager"));
    };
    expect([take(), take()]).toEqual([undefined, undefined]);
    const until = new Date(clock.now().getTime() + 10 * 60_000).toISOString();
    expect(take()).toEqual({ manager: "manager", until });
    expect(writes.note(version("capstan")), "it stays known").toEqual({ manager: "manager", until });
  });

  it("do not count when they lie further apart", async () => {
    const clock = virtualClock();
    const writes = createForeignWrites(clock, "capstan");
    for (let times = 0; times < 5; times += 1) {
      writes.note(version("capstan"));
      expect(writes.note(version("manager"))).toBeUndefined();
      await clock.advance(6 * 60_000);
    }
  });

  it("do not count for fields of its own, or while nothing is taken", () => {
    const writes = createForeignWrites(virtualClock(), "capstan");
    for (let times = 0; times < 9; times += 1) {
      expect(writes.note(version("manager", { [`f:own${times}`]: {} }))).toBeUndefined();
    }
  });

  it("begin from the start when the object changes hands in between", () => {
    const writes = createForeignWrites(virtualClock(), "capstan");
    for (let times = 0; times < 5; times += 1) {
      writes.note(version("capstan"));
      expect(writes.note(version("manager", {}, "capi"))).toBeUndefined();
      expect(writes.note(version("manager"))).toBeUndefined();
    }
  });
});
