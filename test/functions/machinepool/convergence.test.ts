import { describe, expect, it } from "vitest";
import { machinepoolAdopt } from "../../../functions/machinepool/adopt.ts";
import { machinepoolDelete } from "../../../functions/machinepool/delete.ts";
import { machinepoolGuard } from "../../../functions/machinepool/guard.ts";
import { machinepoolNodes } from "../../../functions/machinepool/nodes.ts";
import { machinepoolRetire } from "../../../functions/machinepool/retire.ts";
import { machinepoolStatus } from "../../../functions/machinepool/status.ts";
import { machinepoolSync } from "../../../functions/machinepool/sync.ts";
import { applyJsonPatch } from "../../../infra/apiserver/json-patch.ts";
import type { Json } from "../../../infra/apiserver/schema.ts";
import { type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { compareText } from "../../../shared/rules/conditions.ts";
import type { AnyDecision } from "../../../shared/runtime/define-function.ts";
import { sameJson, valueAt } from "../../../shared/runtime/path.ts";
import {
  bootstrapConfig,
  cluster,
  connection,
  infraMachinePool,
  machinePool,
  node,
} from "../../support/builders.ts";
import { decide, given, NOW } from "../../support/world.ts";

const FUNCTIONS = [
  machinepoolGuard,
  machinepoolAdopt,
  machinepoolSync,
  machinepoolNodes,
  machinepoolRetire,
  machinepoolStatus,
  machinepoolDelete,
];

/** A server of sorts: objects by cluster and name, changed by decisions. */
type Objects = Map<string, KubeObject>;

function worldOf(objects: Objects): ReturnType<typeof given> {
  const inCluster = (cluster: string) =>
    [...objects].flatMap(([key, object]) => (key.startsWith(`${cluster} `) ? [object] : []));
  return given(...inCluster(MANAGEMENT)).inWorkload("default/c1", ...inCluster("default/c1"));
}

function keyOf(where: string, kind: string, name: string): string {
  return `${where} ${kind} ${name}`;
}

/** What a server would have read of a value. */
function json(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}

/** Carries a decision out and gives the writes it took, Events not counted. */
function carryOut(decision: AnyDecision, pool: MachinePool, objects: Objects): readonly string[] {
  const writes: string[] = [];
  for (const { target, operations } of decision.patch ?? []) {
    if (operations.length === 0) continue;
    const key = keyOf(target.cluster, target.kind.kind, target.name);
    const before = objects.get(key);
    const patched = applyJsonPatch(json(before), json(operations)) as unknown as KubeObject;
    const specChanged = !sameJson(valueAt(before, "spec"), valueAt(patched, "spec"));
    const generation = (before?.metadata.generation ?? 1) + Number(specChanged);
    objects.set(key, { ...patched, metadata: { ...patched.metadata, generation } });
    writes.push(`patch ${target.kind.kind} ${target.name}`);
  }
  const status: unknown = decision.apply?.["status"];
  if (status !== undefined && !sameJson(status, pool.status)) {
    objects.set(keyOf(MANAGEMENT, "MachinePool", "p1"), { ...pool, ...{ status: json(status) } });
    writes.push("apply MachinePool p1 status");
  }
  for (const { cluster: where, kind, name } of decision.delete ?? []) {
    objects.delete(keyOf(where, kind.kind, name));
    writes.push(`delete ${kind.kind} ${name}`);
  }
  return writes;
}

/** Runs all functions in turn until none of them writes. */
async function settle(objects: Objects, functions = FUNCTIONS): Promise<readonly string[]> {
  const writes: string[] = [];
  for (let rounds = 0, before = -1; before < writes.length; rounds += 1) {
    expect(rounds).toBeLessThan(20);
    before = writes.length;
    for (const fn of functions) {
      const pool = objects.get(keyOf(MANAGEMENT, "MachinePool", "p1")) as MachinePool;
      writes.push(...carryOut(await decide(fn, worldOf(objects), "p1", NOW), pool, objects));
    }
  }
  return writes;
}

/** As a user and a provider leave them: a pool of three, everything it needs ready, nothing written by us. */
function created(): Objects {
  const unowned = { metadata: { ownerReferences: undefined, labels: undefined } };
  const pool = machinePool({
    metadata: {
      ...unowned.metadata,
      generation: 1,
      finalizers: undefined,
      creationTimestamp: "2026-01-01T11:59:59Z",
    },
    spec: { providerIDList: undefined, template: { spec: { bootstrap: { dataSecretName: undefined } } } },
  });
  const management = [cluster(), connection(), pool, bootstrapConfig(unowned), infraMachinePool(unowned)];
  const nodes = ["n1", "n2", "n3"].map((name) => node(name, { metadata: { annotations: {} } }));
  return new Map<string, KubeObject>([
    ...management.map((object) => [keyOf(MANAGEMENT, object.kind, object.metadata.name), object] as const),
    ...nodes.map((object) => [keyOf("default/c1", "Node", object.metadata.name), object] as const),
  ]);
}

const EIGHT = [
  "apply MachinePool p1 status",
  "patch FooConfig p1-config",
  "patch FooMachinePool p1-infra",
  "patch MachinePool p1",
  "patch MachinePool p1",
  "patch Node n1",
  "patch Node n2",
  "patch Node n3",
];

describe("the machinepool functions together", () => {
  it.each([
    ["in the order of the pattern", FUNCTIONS],
    ["with the status always first", FUNCTIONS.toReversed()],
  ])("take a pool of three from creation to Running with eight writes, %s", async (_, functions) => {
    const objects = created();
    expect((await settle(objects, functions)).toSorted(compareText)).toEqual(EIGHT);
    const pool = objects.get(keyOf(MANAGEMENT, "MachinePool", "p1")) as MachinePool;
    expect(pool.status).toMatchObject({ phase: "Running", observedGeneration: 2 });
    expect(pool.metadata.generation).toBe(2);
    expect(await settle(objects, functions)).toEqual([]);
  });

  it("shrink a pool: the Node goes before its ref", async () => {
    const objects = created();
    await settle(objects);
    const list = { spec: { providerIDList: ["foo://1", "foo://2"] }, status: { replicas: 2 } };
    const pool = objects.get(keyOf(MANAGEMENT, "MachinePool", "p1")) as MachinePool;
    objects.set(keyOf(MANAGEMENT, "MachinePool", "p1"), {
      ...pool,
      ...{ spec: { ...pool.spec, replicas: 2 } },
    });
    objects.set(keyOf(MANAGEMENT, "FooMachinePool", "p1-infra"), infraMachinePool(list));
    expect(await settle(objects)).toEqual([
      "patch MachinePool p1",
      "delete Node n3",
      "apply MachinePool p1 status",
    ]);
    const shrunk = objects.get(keyOf(MANAGEMENT, "MachinePool", "p1")) as MachinePool;
    expect(shrunk.status).toMatchObject({ phase: "Running", replicas: 2, readyReplicas: 2 });
    expect(shrunk.status?.nodeRefs?.map(({ name }) => name)).toEqual(["n1", "n2"]);
  });

  it("take a deleted pool apart: provider objects, Nodes, finalizer", async () => {
    const objects = created();
    await settle(objects);
    const key = keyOf(MANAGEMENT, "MachinePool", "p1");
    const pool = objects.get(key) as MachinePool;
    objects.set(key, { ...pool, metadata: { ...pool.metadata, deletionTimestamp: "2026-01-01T12:00:00Z" } });
    expect((await settle(objects)).filter((write) => !write.startsWith("apply"))).toEqual([
      "delete FooConfig p1-config",
      "delete FooMachinePool p1-infra",
      "delete Node n1",
      "delete Node n2",
      "delete Node n3",
      "patch MachinePool p1",
    ]);
    expect(objects.get(key)?.metadata.finalizers).toEqual([]);
  });
});
