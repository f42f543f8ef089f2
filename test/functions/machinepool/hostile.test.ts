import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MANAGEMENT, type ObjectRef } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { valueAt } from "../../../shared/api/path.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { connection, machinePool, type ProviderObject } from "../../support/builders.ts";
import { decide } from "../../support/world.ts";
import { anyDeed, type Deed, RIVAL, repair } from "./hostile-world.ts";
import {
  CLUSTER,
  CONFIG,
  CONNECTION,
  carryOut,
  created,
  FUNCTIONS,
  INFRA,
  keyOf,
  nodeKey,
  type Objects,
  poolIn,
  settle,
  worldOf,
} from "./small-server.ts";

const SCHEMA = MachinePool.schema?.();

/** Snapshots of the read model lag behind by at most so many changes. */
const MAX_LAG = 4;

const BY_NAME = new Map(FUNCTIONS.map((fn) => [fn.spec.name, fn] as const));

/** Runs of some functions, or a change by another client; short enough to be read in a counterexample. */
type Moment = Deed | { readonly runs: readonly string[]; readonly lag: number };
const moment: fc.Arbitrary<Moment> = fc.oneof<fc.WeightedArbitrary<Moment>[]>(
  {
    weight: 3,
    arbitrary: fc.record({
      runs: fc.subarray([...BY_NAME.keys()], { minLength: 1 }),
      lag: fc.oneof(fc.constant(0), fc.nat({ max: MAX_LAG })),
    }),
  },
  { weight: 2, arbitrary: anyDeed },
);

const { finalizers, labels, ownerReferences } = machinePool().metadata;
const GUARDED = { finalizers, labels, ownerReferences };

function stringsAt(object: unknown, path: string): readonly string[] | undefined {
  const value = valueAt(object, path) ?? [];
  const strings = Array.isArray(value) && value.every((item) => typeof item === "string");
  return strings ? value.filter((item) => item !== "") : undefined;
}

function controllerUidOf(object: ProviderObject | undefined): string | undefined {
  return object?.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

/** Returns why this must not be deleted with the present state of the servers; undefined when it may. */
function objection(ref: ObjectRef, objects: Objects): string | undefined {
  const pool = poolIn(objects);
  if (pool === undefined) return "there is no pool";
  if (valueAt(objects.get(CLUSTER), "spec.paused") === true || pool.metadata.annotations !== undefined) {
    return "the pool is paused";
  }
  if (ref.cluster !== MANAGEMENT) return nodeObjection(ref, pool, objects);
  if (pool.metadata.deletionTimestamp === undefined) return "the pool stays";
  const provider = objects.get(keyOf(MANAGEMENT, ref.kind.kind, ref.name));
  return isOthers(provider, pool) ? "another controls it" : undefined;
}

function isOthers(provider: ProviderObject | undefined, pool: MachinePool): boolean {
  return ![pool.metadata.uid, undefined].includes(controllerUidOf(provider));
}

function nodeObjection({ name, uid }: ObjectRef, pool: MachinePool, objects: Objects): string | undefined {
  const node = objects.get(nodeKey(name)) as ProviderObject | undefined;
  const infrastructure = objects.get(INFRA) as ProviderObject | undefined;
  if (node === undefined || node.metadata.uid !== uid) return "there is no such Node";
  if (!pool.status?.nodeRefs?.some((ref) => ref.name === name && ref.uid === uid)) return "no ref names it";
  const providerID = String(valueAt(node, "spec.providerID") ?? "");
  if (stringsAt(objects.get(RIVAL), "spec.providerIDList")?.includes(providerID))
    return "another pool lists it";
  if (pool.metadata.deletionTimestamp !== undefined) {
    const left = [CONFIG, INFRA].filter((key) => objects.has(key) && !isOthers(objects.get(key), pool));
    return left.length > 0 ? `${left} still exist` : undefined;
  }
  const lists = [stringsAt(pool, "spec.providerIDList"), stringsAt(infrastructure, "spec.providerIDList")];
  if (controllerUidOf(infrastructure) !== pool.metadata.uid) return "the infrastructure is not the pool's";
  if (providerID === "" || lists.some((list) => list?.includes(providerID))) return "its instance is listed";
  const decisive = lists.every((list) => list !== undefined && (list.length > 0 || pool.spec.replicas === 0));
  return decisive ? undefined : "a list is empty";
}

/** Checks that must hold after every run: the schema, Nodes, counters and names of data; a failure is never taken back. */
function checkPool(before: MachinePool, seen: Objects, objects: Objects): void {
  const pool = poolIn(objects);
  if (pool === undefined) return;
  const checked = SCHEMA?.safeParse(JSON.parse(JSON.stringify(pool)));
  expect(checked?.error?.message).toBeUndefined();
  const {
    readyReplicas = 0,
    availableReplicas = 0,
    unavailableReplicas = 0,
  } = pool.status?.deprecated?.v1beta1 ?? {};
  expect(availableReplicas).toBeLessThanOrEqual(readyReplicas);
  expect(Math.min(availableReplicas, unavailableReplicas, pool.status?.replicas ?? 0)).toBeGreaterThanOrEqual(
    0,
  );
  if (before.spec.template.spec.bootstrap.dataSecretName !== undefined) {
    expect(pool.spec.template.spec.bootstrap.dataSecretName).toBeTruthy();
  }
  const emptied = (before.spec.providerIDList ?? []).length > 0 && pool.spec.providerIDList?.length === 0;
  if (emptied) expect(valueAt(seen.get(INFRA), "status.replicas")).toBe(0);
  const failure = before.status?.deprecated?.v1beta1?.failureReason;
  if (failure !== undefined) expect(pool.status?.deprecated?.v1beta1?.failureReason).toBeTruthy();
}

/** One run on snapshots that lag behind; the relay and its connections are not snapshots and never do. */
async function runOnce(fn: AnyFunction, seen: Objects, objects: Objects): Promise<void> {
  const [pool, snapshot] = [poolIn(objects), poolIn(seen)];
  if (pool === undefined || snapshot === undefined) return;
  const view = new Map(seen).set(CONNECTION, objects.get(CONNECTION) ?? connection());
  const decision = await decide(fn, worldOf(objects, view), "p1");
  for (const { target } of decision.delete ?? [])
    expect(objection(target, objects), target.name).toBeUndefined();
  carryOut(decision, snapshot, objects);
  checkPool(pool, seen, objects);
}

async function live(objects: Objects, moments: readonly Moment[]): Promise<void> {
  const views = [new Map(objects)];
  for (const moment of moments) {
    if ("to" in moment) moment.to(objects);
    else {
      for (const name of moment.runs) {
        const seen = (moment.lag === 0 ? undefined : views.at(-moment.lag)) ?? objects;
        await runOnce(BY_NAME.get(name) as AnyFunction, seen, objects);
      }
    }
    views.push(new Map(objects));
  }
}

describe("the machinepool functions among providers and users who do anything", () => {
  it("crash at nothing, delete no Node without proof, and converge once every client is reasonable", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(moment, { maxLength: 40, size: "max" }),
        async (settled, moments) => {
          const objects = created();
          if (settled) await settle(objects);
          await live(objects, moments);
          repair(objects);
          const before = poolIn(objects);
          await settle(objects);
          const pool = poolIn(objects);
          if (before === undefined || before.metadata.deletionTimestamp !== undefined) {
            expect(pool).toBeUndefined();
            return;
          }
          expect(pool?.status).toMatchObject({ phase: "Running", replicas: 3 });
          expect(pool?.status?.nodeRefs?.slice(0, 3).map(({ name }) => name)).toEqual(["n1", "n2", "n3"]);
          expect(pool?.metadata).toMatchObject(GUARDED);
          expect(await settle(objects)).toEqual([]);
        },
      ),
      { numRuns: 80 },
    );
  });
});
