import { describe, expect, it } from "vitest";
import { machinepoolMachines } from "../../../../functions/machinepool/machines.ts";
import { siblingsOf } from "../../../../infra/operate/explain/sibling-page.ts";
import { isReady, pickShown, textOfLeftOut, worstFirst } from "../../../../infra/operate/explain/siblings.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";
import type { Kind } from "../../../../shared/api/kinds.ts";
import { MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { machine, machineCondition, machinePool, type Overrides } from "../../../support/builders.ts";

const KIND = Machine as unknown as Kind;
const READY = machineCondition("Ready", "True", "Ready");
const NOT_READY = machineCondition("Ready", "False", "NotReady", "Node n1 is away");

function of(name: string, conditions: readonly Condition[], overrides: Overrides<Machine> = {}): Machine {
  return machine(name, { ...overrides, status: { conditions } });
}

const namesOf = (machines: readonly Machine[], dead?: ReadonlySet<string>): readonly string[] =>
  worstFirst(machines, dead).map(({ object }) => object.metadata.name);

describe("siblings", () => {
  it("stand worst first: dead, bad, unknown, changing, silent, ready", () => {
    const machines = [
      of("a-ready", [READY]),
      of("b-silent", []),
      of("c-going", [READY], { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
      of("d-unclear", [READY, machineCondition("NodeHealthy", "Unknown", "Away")]),
      of("e-bad", [NOT_READY]),
      of("f-dead", [READY]),
      of("g-updating", [READY, machineCondition("Updating", "True", "Updating")]),
    ];
    expect(namesOf(machines, new Set(["Machine default/f-dead"]))).toEqual([
      "f-dead",
      "e-bad",
      "d-unclear",
      "c-going",
      "g-updating",
      "b-silent",
      "a-ready",
    ]);
  });

  it("stand by how long it is so, then by name", () => {
    const since = (name: string, lastTransitionTime: string) =>
      of(name, [{ ...NOT_READY, lastTransitionTime }]);
    const machines = [
      since("c", "2026-01-02T00:00:00Z"),
      since("b", "2026-01-01T00:00:00Z"),
      since("a", "2026-01-02T00:00:00Z"),
    ];
    expect(namesOf(machines)).toEqual(["b", "a", "c"]);
  });

  it("are not ready for lack of knowledge: malformed conditions, none, or only those that need not be", () => {
    const odd = { conditions: [7, null, { type: "Ready" }, "x"] } as never;
    const [one] = worstFirst([machine("m1", { status: odd })]);
    expect(one && isReady(one)).toBe(false);
    const paused = worstFirst([of("m2", [machineCondition("Paused", "False", "NotPaused")]), of("m3", [])]);
    expect(paused.some(isReady)).toBe(false);
  });

  it("that are ready stand by name while they are few, and are a number when they are many", () => {
    const ready = (count: number) => Array.from({ length: count }, (_, at) => of(`m${at}`, [READY]));
    expect(pickShown(KIND, worstFirst([...ready(5), of("bad", [NOT_READY])]))).toMatchObject({
      shown: expect.objectContaining({ length: 6 }),
      leftOut: [],
    });
    const many = pickShown(KIND, worstFirst([...ready(983), of("bad", [NOT_READY])]));
    expect(many.shown.map(({ metadata }) => metadata.name)).toEqual(["bad"]);
    expect(many.leftOut.map(textOfLeftOut)).toEqual(["983 Machines ready"]);
    const bad = Array.from({ length: 57 }, (_, at) => of(`bad${at}`, [NOT_READY]));
    expect(pickShown(KIND, worstFirst([...ready(1), ...bad])).leftOut.map(textOfLeftOut)).toEqual([
      "37 more Machines",
      "1 Machine ready",
    ]);
  });
});

describe("a page of siblings", () => {
  it("leads through all objects of a kind, worst first, whatever changes meanwhile", async () => {
    await using store = createMemoryStore();
    const type = { cluster: MANAGEMENT, group: Machine.group, kind: Machine.kind };
    const machines = Array.from({ length: 25 }, (_, at) =>
      of(`m${at + 10}`, [at === 20 ? NOT_READY : READY]),
    );
    for (const one of machines) await store.put(type, [one]);
    const functions = [machinepoolMachines];
    const parent = { kind: MachinePool as unknown as Kind, object: machinePool() };
    const page = (after?: string, state?: "ready") =>
      siblingsOf({ store, functions }, parent, { kind: "Machine", limit: 10, after, state });

    const first = await page();
    expect(first.items[0]).toEqual({
      kind: "Machine",
      namespace: "default",
      name: "m30",
      problem: "Ready False: Node n1 is away",
      isReady: false,
    });
    await store.put(type, [
      {
        ...of("m10", [NOT_READY]),
        metadata: { ...machine("m10").metadata, resourceVersion: "71" },
      },
    ]);
    const second = await page(first.next);
    const third = await page(second.next);
    const names = [first, second, third].flatMap(({ items }) => items.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength(25);
    expect(third.next).toBeUndefined();
    expect((await page(undefined, "ready")).items.every((one) => one.isReady)).toBe(true);
  });

  it.each([
    ["a kind that no tree shows", { kind: "Pod", limit: 1 }, 'no tree shows objects of kind "Pod"'],
    ["too many at once", { kind: "Machine", limit: 1e9 }, "1 to 200"],
    ["a foreign cursor", { kind: "Machine", limit: 1, after: "x".repeat(10_000) }, "cursor"],
  ])("refuses %s", async (_, selection, message) => {
    await using store = createMemoryStore();
    const parent = { kind: MachinePool as unknown as Kind, object: machinePool() };
    await expect(siblingsOf({ store, functions: [machinepoolMachines] }, parent, selection)).rejects.toThrow(
      message,
    );
  });
});
