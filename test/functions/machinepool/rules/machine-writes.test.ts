import { describe, expect, it } from "vitest";
import { machineWrites } from "../../../../functions/machinepool/rules/machine-writes.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { found, infraMachine, machine, machinePool, merge } from "../../../support/builders.ts";

const OBJECTS = ["m1", "m2", "m3"].map((name) => infraMachine(name));
const { kind } = found(infraMachine());
const POOL = machinePool({
  spec: { template: { metadata: { labels: { tier: "a" }, annotations: { note: "b" } } } },
});

function writes(machines: readonly Machine[], pool = POOL) {
  return machineWrites({
    pool,
    machines,
    infraMachines: { kind: { state: "resolved", contract: "v1beta2", kind }, objects: OBJECTS },
    versionOf: ({ metadata }) => (metadata.name === "m3" ? undefined : "v1.34.2"),
  }).applyOn;
}

/** The Machines as a server has them after these writes, with what is no longer applied gone. */
function carriedOut(machines: readonly Machine[], pool = POOL): readonly Machine[] {
  const byName = new Map(machines.map((each) => [each.metadata.name, each]));
  for (const { target, body } of writes(machines, pool)) {
    const before =
      byName.get(target.name) ?? machine(target.name, { status: undefined, spec: { version: undefined } });
    const { metadata = {}, ...rest } = JSON.parse(JSON.stringify(body)) as Partial<Machine>;
    const bare = { ...before, metadata: { ...before.metadata, annotations: undefined, labels: undefined } };
    const owned = "spec" in rest ? merge(bare as Machine, { metadata }) : before;
    byName.set(target.name, { ...owned, ...rest } as Machine);
  }
  return [...byName.values()];
}

describe("the writes for Machines", () => {
  it("come to rest: first the Machines, then nothing", () => {
    const made = carriedOut([]);
    expect(made.map(({ metadata }) => metadata.name)).toEqual(["m1", "m2", "m3"]);
    expect(writes(made)).toEqual([]);
  });
});
