import { expect, it } from "vitest";
import { systemClock } from "../../../../../infra/platform/clock.ts";
import { createServer } from "../../../../../infra/platform/kube/client.ts";
import { SimCluster } from "../../../../../infra/playground/api/sim-cluster.ts";
import { SimControlPlaneLegacy } from "../../../../../infra/playground/api/sim-controlplane-legacy.ts";
import { change, kindIn, look, openScratch } from "../../../../../infra/providers/contract/probe/scratch.ts";
import { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { Secret } from "../../../../../shared/api/core.ts";
import { INFRA_REF, startScratch } from "../../../../support/contract/scratch.ts";
import { failing, startScriptedServer } from "../../../../support/processes/scripted-server.ts";

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
