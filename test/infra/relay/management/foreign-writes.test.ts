import { describe, expect, it } from "vitest";
import { createForeignWrites } from "../../../../infra/relay/management/foreign-writes.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { virtualClock } from "../../../support/clock.ts";

const PROVIDER_ID = { "f:spec": { "f:providerID": {} } };

interface Given {
  readonly field?: object;
  readonly label?: string;
}

/** A Machine of which Capstan holds a field, or another manager does. */
function version(holder: string, { field = PROVIDER_ID, label = "capstan" }: Given = {}): KubeObject {
  const finalizer = { "f:metadata": { "f:finalizers": { 'v:"capstan"': {} } } };
  const managedFields = [
    {
      manager: "capstan-machine-sync",
      operation: "Apply",
      fieldsV1: holder === "capstan" ? field : finalizer,
    },
    ...(holder === "capstan" ? [] : [{ manager: holder, operation: "Update", fieldsV1: field }]),
  ];
  const labels = { "cluster.x-k8s.io/watch-filter": label };
  const metadata = { name: "m1", namespace: "default", uid: "u1", labels, managedFields };
  return { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", metadata } as KubeObject;
}

describe("writes of another controller", () => {
  it("count when it takes a field of Capstan the third time within 10 minutes", () => {
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

  it.each([
    ["the status", { "f:status": { "f:phase": {} } }, "manager", undefined],
    [
      "a condition",
      { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': { "f:status": {} } } } },
      "manager",
      undefined,
    ],
    ["a label", { "f:metadata": { "f:labels": { "f:a": {} } } }, "manager", undefined],
    ["the spec", PROVIDER_ID, "manager", "manager"],
    ["a finalizer", { "f:metadata": { "f:finalizers": { 'v:"a/b"': {} } } }, "manager", "manager"],
    [
      "an owner",
      { "f:metadata": { "f:ownerReferences": { 'k:{"uid":"u"}': { "f:name": {} } } } },
      "manager",
      "manager",
    ],
  ])("in %s count only as far as two controllers cannot both do them", (_what, field, manager, found) => {
    const writes = createForeignWrites(virtualClock(), "capstan");
    let noted: ReturnType<typeof writes.note>;
    for (let times = 0; times < 4; times += 1) {
      writes.note(version("capstan", { field }));
      noted = writes.note(version(manager, { field }));
    }
    expect(noted?.manager).toBe(found);
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
      const field = { "f:spec": { "f:providerID": {}, [`f:own${times}`]: {} } };
      expect(writes.note(version("manager", { field }))).toBeUndefined();
    }
  });

  it("begin from the start when the object changes hands in between", () => {
    const writes = createForeignWrites(virtualClock(), "capstan");
    for (let times = 0; times < 5; times += 1) {
      writes.note(version("capstan"));
      expect(writes.note(version("manager", { label: "capi" }))).toBeUndefined();
      expect(writes.note(version("manager"))).toBeUndefined();
    }
  });
});
