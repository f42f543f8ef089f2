import { describe, expect, it } from "vitest";
import { applyJsonPatch, type Json } from "../../../infra/playground/apiserver/entry.ts";
import { loadFunctions } from "../../../infra/worker/load.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { sameJson } from "../../../shared/api/path.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { connection } from "../../support/builders.ts";
import { fooCluster, fooControlPlane, newCluster } from "../../support/foo-cluster.ts";
import { decide, given } from "../../support/world.ts";

const FUNCTIONS = await loadFunctions(["cluster-*"]);
const BARE = { metadata: { ownerReferences: undefined, labels: undefined } };

/** No life here takes more than six rounds. */
const MAX_ROUNDS = 20;

/** A world that carries out decisions, one after the other, and counts what it was asked for. */
class Life {
  readonly writes: string[] = [];
  readonly events: string[] = [];
  objects: readonly KubeObject[];

  constructor(objects: readonly KubeObject[]) {
    this.objects = objects;
  }

  /** Runs every function until none of them has anything left to write. Throws when they never rest. */
  async settle(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const before = this.writes.length;
      for (const fn of FUNCTIONS) if (this.find("c1") !== undefined) await this.run(fn);
      if (before === this.writes.length) return;
    }
    throw new Error(`functions still write after ${MAX_ROUNDS} rounds: ${this.writes.slice(-4).join(", ")}`);
  }

  find(name: string): KubeObject | undefined {
    return this.objects.find(({ kind, metadata }) => metadata.name === name && kind !== "Connection");
  }

  change(name: string, changed: (object: KubeObject) => KubeObject): void {
    this.objects = this.objects.map((object) => (object === this.find(name) ? changed(object) : object));
  }

  private async run(fn: AnyFunction): Promise<void> {
    const decision = await decide(fn, given(...this.objects));
    for (const { target, operations } of decision.patch ?? []) {
      this.write(`${fn.spec.name} ${target.kind.kind}`);
      this.change(target.name, (object) => patched(object, operations));
    }
    const status: unknown = Reflect.get(decision.apply ?? {}, "status");
    if (status !== undefined && !sameJson(status, Reflect.get(this.find("c1") ?? {}, "status"))) {
      this.write(`${fn.spec.name} status`);
      this.change("c1", (object) => ({ ...object, status }));
    }
    for (const { target } of decision.delete ?? []) {
      const { name, kind } = target;
      this.write(`${fn.spec.name} deletes ${kind.kind}`);
      this.objects = this.objects.filter((object) => object !== this.find(name));
    }
    this.events.push(...(decision.events ?? []).map(({ reason }) => reason));
    this.objects = this.objects.filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined || metadata.finalizers?.length !== 0,
    );
  }

  private write(what: string): void {
    this.writes.push(what);
  }
}

/** As the server does it: a change of the spec is a new generation. */
function patched(object: KubeObject, operations: readonly object[]): KubeObject {
  const newDocument = applyJsonPatch(
    object as unknown as Json,
    operations as unknown as Json,
  ) as unknown as KubeObject;
  const specChanged = !sameJson(Reflect.get(object, "spec"), Reflect.get(newDocument, "spec"));
  const generation = (object.metadata.generation ?? 1) + (specChanged ? 1 : 0);
  return { ...newDocument, metadata: { ...newDocument.metadata, generation } };
}

function born(): Life {
  const bare = newCluster({ metadata: { finalizers: undefined } });
  return new Life([bare, fooCluster(BARE), fooControlPlane(BARE), connection()]);
}

describe("the life of a Cluster", () => {
  it("costs 5 writes and 3 events from manifest to Provisioned, and nothing at rest", async () => {
    const life = born();
    await life.settle();
    expect(life.writes).toEqual([
      "cluster-guard Cluster",
      "cluster-adopt FooCluster",
      "cluster-adopt FooControlPlane",
      "cluster-sync Cluster",
      "cluster-status status",
    ]);
    expect(life.events).toEqual(["InfrastructureReady", "ControlPlaneInitialized", "Provisioned"]);
    expect(life.find("c1")).toMatchObject({
      metadata: { generation: 2 },
      status: { phase: "Provisioned", observedGeneration: 2 },
    });
    await life.settle();
    expect(life.writes).toHaveLength(5);
  });

  it("ends with control plane object, infra object and finalizer, in this order", async () => {
    const life = born();
    await life.settle();
    life.writes.length = 0;
    life.change("c1", (object) => ({
      ...object,
      metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T12:00:00Z" },
    }));
    await life.settle();
    expect(life.writes.filter((write) => write.startsWith("cluster-delete"))).toEqual([
      "cluster-delete deletes FooControlPlane",
      "cluster-delete deletes FooCluster",
      "cluster-delete Cluster",
    ]);
    expect(life.find("c1")).toBeUndefined();
    expect(life.events).toContain("Deleted");
  });
});
