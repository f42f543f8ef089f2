import { expect, it } from "vitest";
import { SimCluster } from "../../../../../infra/playground/api/sim-cluster.ts";
import type { ManifestObject } from "../../../../../infra/providers/contract/probe/manifest.ts";
import {
  pauseByAnnotation,
  pauseByCluster,
  runManagedTrial,
} from "../../../../../infra/providers/contract/probe/pause-trials.ts";
import { look, remove } from "../../../../../infra/providers/contract/probe/scratch.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import {
  acting,
  addCluster,
  INFRA_REF,
  stageOn,
  startScratch,
  type TestScratch,
} from "../../../../support/contract/scratch.ts";

const NAME = "contract-managed";
const MANAGED = `SimCluster ${NAME}`;

function inManifest(apiVersion: string, kind: string, spec: object): ManifestObject {
  const value = { apiVersion, kind, metadata: { name: "c1" }, spec };
  return { value, apiVersion, kind, name: "c1", place: "cluster.yaml:1" };
}

const MANIFEST = [
  inManifest("cluster.x-k8s.io/v1beta2", "Cluster", { infrastructureRef: INFRA_REF }),
  inManifest("infrastructure.sim.capstan.dev/v1beta2", "SimCluster", {}),
];

/** Core makes the Cluster the owner of the object, which goes with it; a provider that meddles also reports on it. */
function controllers(world: TestScratch, meddles: boolean): AsyncDisposable {
  return acting(async () => {
    const snapshot = await look(world.scratch);
    const [cluster, infra] = [snapshot.get(`Cluster ${NAME}`), snapshot.get(MANAGED)];
    if (infra === undefined) return;
    if (cluster === undefined) {
      await remove(world.scratch, infra);
      return;
    }
    if (infra.metadata.ownerReferences !== undefined) return;
    const owner = { apiVersion: cluster.apiVersion, kind: "Cluster", name: NAME };
    const value = [{ ...owner, uid: cluster.metadata.uid ?? "" }];
    await world.write(SimCluster, NAME, [{ op: "add", path: "/metadata/ownerReferences", value }]);
    const status = [{ op: "add", path: "/status", value: { ready: true } }] as const;
    if (meddles) await world.write(SimCluster, NAME, status, "status");
  });
}

it.each([
  [false, []],
  [true, ["status"]],
])(
  "records what is written to an object of another system, and removes it (meddles: %s)",
  async (meddles, written) => {
    await using world = await startScratch();
    await using _controllers = controllers(world, meddles);
    expect(await runManagedTrial(stageOn(world.scratch, { manifest: MANIFEST }))).toEqual({ written });
    expect([...(await look(world.scratch)).keys()]).toEqual([]);
  },
);

it("is left out where the manifest has no InfraCluster", async () => {
  await using world = await startScratch();
  const stage = stageOn(world.scratch, { manifest: MANIFEST.slice(0, 1) });
  expect(await runManagedTrial(stage)).toBeUndefined();
});

const TITLE = "SimCluster c1";

/** Says whether it is paused, as the contract asks for, and counts its failure domains while it is not. */
function provider(world: TestScratch): AsyncDisposable {
  return acting(async () => {
    const snapshot = await look(world.scratch);
    const [cluster, infra] = [snapshot.get("Cluster c1"), snapshot.get(TITLE)];
    const isPaused =
      valueAt(cluster, "spec.paused") === true ||
      infra?.metadata.annotations?.["cluster.x-k8s.io/paused"] !== undefined;
    const condition = {
      type: "Paused",
      status: isPaused ? "True" : "False",
      reason: "Said",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
      observedGeneration: infra?.metadata.generation,
    };
    const known = valueAt(infra, "status.failureDomains");
    const failureDomains = isPaused ? known : valueAt(infra, "spec.failureDomains");
    const value = { conditions: [condition], ...(failureDomains === undefined ? {} : { failureDomains }) };
    await world.write(SimCluster, "c1", [{ op: "add", path: "/status", value }], "status");
  });
}

it("pauses by the Cluster, then by annotation: what changed meanwhile is acted on afterwards", async () => {
  await using world = await startScratch();
  await addCluster(world, { failureDomains: [{ name: "a" }] });
  await using _provider = provider(world);
  const mutation = { path: "spec.failureDomains", value: [{ name: "b" }] };
  const stage = stageOn(world.scratch, { provisioned: await look(world.scratch), mutation });
  for (const pause of [pauseByCluster, pauseByAnnotation]) {
    const { targets, before, after, saidPaused, saidResumed, changes } = await pause(stage);
    const domains = [before, after].map((at) => valueAt(at.get(TITLE), "status.failureDomains"));
    expect(domains[0]).toEqual(domains[1]);
    expect([targets, saidPaused, saidResumed]).toEqual([
      new Set([TITLE]),
      new Set([TITLE]),
      new Set([TITLE]),
    ]);
    expect(changes.get(TITLE)).toEqual({ what: "spec.failureDomains", actedOn: true });
  }
  const last = (await look(world.scratch)).get(TITLE);
  expect(valueAt(last, "spec.failureDomains")).toEqual([{ name: "a" }]);
  expect(last?.metadata.annotations?.["cluster.x-k8s.io/paused"]).toBeUndefined();
});

it("ends where no object has the field of --mutate", async () => {
  await using world = await startScratch();
  await addCluster(world);
  const mutation = { path: "spec.size", value: 1 };
  const stage = stageOn(world.scratch, { provisioned: await look(world.scratch), mutation });
  await expect(pauseByCluster(stage)).rejects.toThrow("--mutate: no object of a provider has spec.size");
});
