import { describe, expect, it } from "vitest";
import { decideMachines } from "../../../../functions/mhc/rules/machines.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { Reader } from "../../../../shared/function/reads.ts";
import { node } from "../../../support/builders.ts";
import {
  at,
  badNode,
  limitedCheck,
  machineAfter,
  machineWith,
  succeeded,
} from "../../../support/checked-machines.ts";
import { upCluster } from "../../../support/health-checks.ts";
import { NOW } from "../../../support/world.ts";

describe("ten thousand targets", () => {
  it("are judged in one run without a request, and at most once a second", async () => {
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

  it("of a hundred, a run that has nothing to write keeps the next one away for longer", async () => {
    const check = limitedCheck();
    const names = Array.from({ length: 100 }, (_, index) => `m${index}`);
    const nodes = new Map(names.map((name) => [name, node(name)] as const));
    const read = { list: async () => [] } as unknown as Reader;
    const decide = (targets: readonly Machine[]) =>
      decideMachines({ read, now: NOW }, { check, cluster: upCluster(), targets, checks: [check], nodes });
    const unsaid = names.map((name) => machineWith(name));
    const first = await decide(unsaid);
    expect(first.patch).toHaveLength(100);
    expect(first.notBeforeMs).toBe(50);
    const said = unsaid.map((machine) => machineAfter(first, machine));
    expect(await decide(said)).toMatchObject({ patch: [], notBeforeMs: 100 });
  });
});
