import { expect, it } from "vitest";
import { systemClock } from "../../../../../infra/platform/clock.ts";
import { createServer } from "../../../../../infra/platform/kube/client.ts";
import { SimCluster } from "../../../../../infra/playground/api/sim-cluster.ts";
import { SimControlPlaneLegacy } from "../../../../../infra/playground/api/sim-controlplane-legacy.ts";
import {
  change,
  kindIn,
  look,
  openScratch,
  removeProven,
} from "../../../../../infra/providers/contract/probe/scratch.ts";
import { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { Secret } from "../../../../../shared/api/core.ts";
import type { ObjectMeta } from "../../../../../shared/api/kinds.ts";
import { KubeError } from "../../../../../shared/function/errors.ts";
import { INFRA_REF, startScratch } from "../../../../support/contract/scratch.ts";
import { failing, startScriptedServer } from "../../../../support/processes/scripted-server.ts";

const CONFLICT = new KubeError({ class: "Conflict", status: 409, reason: "Conflict", message: "changed" });

/** Reads and deletes of one object, whose metadata each read takes from the list. */
function server(reads: readonly (Partial<ObjectMeta> | undefined)[], conflicts = 0) {
  const proofs: unknown[] = [];
  let count = 0;
  const read = async () => {
    const metadata = reads[Math.min(count++, reads.length - 1)];
    return metadata && { apiVersion: "a/v1", kind: "Foo", metadata: { name: "f1", ...metadata } };
  };
  const erase = async (proof: unknown) => {
    proofs.push(proof);
    if (proofs.length <= conflicts) throw CONFLICT;
  };
  return { read, erase, proofs };
}

it("deletes by the uid and the version that a live read has shown", async () => {
  const { read, erase, proofs } = server([{ uid: "u1", resourceVersion: "7" }]);
  await removeProven(read, erase, "u1");
  expect(proofs).toEqual([{ uid: "u1", resourceVersion: "7" }]);
});

it.each([
  ["is gone", undefined],
  ["is another one of the same name", { uid: "u2", resourceVersion: "7" }],
  ["is being deleted", { uid: "u1", resourceVersion: "7", deletionTimestamp: "2026-01-01T00:00:00Z" }],
])("leaves an object alone that %s", async (_, metadata) => {
  const { read, erase, proofs } = server([metadata]);
  await removeProven(read, erase, "u1");
  expect(proofs).toEqual([]);
});

it("reads again where the object has changed in between, but not for ever", async () => {
  const reads = [1, 2].map((version) => ({ uid: "u1", resourceVersion: String(version) }));
  const twice = server(reads, 1);
  await removeProven(twice.read, twice.erase, "u1");
  expect(twice.proofs).toEqual([
    { uid: "u1", resourceVersion: "1" },
    { uid: "u1", resourceVersion: "2" },
  ]);
  const busy = server(reads, 1_000);
  await expect(removeProven(busy.read, busy.erase, "u1")).rejects.toThrow("changed");
  expect(busy.proofs).toHaveLength(10);
});

it("looks at core, providers and the names of Secrets, and at no value of one", async () => {
  await using world = await startScratch();
  const { scratch, side } = world;
  await world.add(Cluster, "c1", { spec: { infrastructureRef: INFRA_REF } });
  const infra = await world.add(SimCluster, "c1");
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s1", namespace: "probe" } };
  await side.client.create(Secret, { ...secret, stringData: { value: "hidden" } } as Secret);
  const snapshot = await look(scratch);
  expect([...snapshot.keys()]).toEqual(["Cluster c1", "Secret s1", "SimCluster c1"]);
  expect(JSON.stringify([...snapshot])).not.toContain(Buffer.from("hidden").toString("base64"));
  expect(scratch.roleOf(infra)).toEqual({ contractKind: "InfraCluster", isTemplate: false });
  expect(scratch.contractOf(infra)).toBe("v1beta2");
  expect(scratch.contractOf(await world.add(SimControlPlaneLegacy, "c1"))).toBe("v1beta1");
});

it("changes objects of its namespace, and leaves a kind alone that it does not know", async () => {
  await using world = await startScratch();
  const { scratch } = world;
  const infra = await world.add(SimCluster, "c1");
  await change(scratch, infra, [{ op: "add", path: "/spec/failureDomains", value: [{ name: "a" }] }]);
  await change(scratch, infra, [{ op: "add", path: "/status", value: { ready: true } }], "status");
  const changed = (await look(scratch)).get("SimCluster c1");
  expect(changed).toMatchObject({ spec: { failureDomains: [{ name: "a" }] }, status: { ready: true } });
  const foreign = { apiVersion: "v1", kind: "Pod", metadata: { name: "p1" } };
  expect(kindIn(scratch.kinds, foreign)).toBeUndefined();
  await change(scratch, foreign, [{ op: "remove", path: "/spec" }]);
});

it("names the right to CRDs that it lacks", async () => {
  await using scripted = await startScriptedServer();
  scripted.lists.push(failing(403, "Forbidden"));
  using server = createServer({ server: scripted.url }, { clock: systemClock });
  const opening = openScratch(server, { namespace: "probe", clock: systemClock, named: new Map() });
  await expect(opening).rejects.toThrow("the probe needs the right to it");
});
