import { expect, it } from "vitest";
import { SimCluster } from "../../../../../infra/playground/api/sim-cluster.ts";
import { runManagedTrial } from "../../../../../infra/providers/contract/probe/managed-trial.ts";
import type { ManifestObject } from "../../../../../infra/providers/contract/probe/manifest.ts";
import { remove } from "../../../../../infra/providers/contract/probe/removal.ts";
import { look } from "../../../../../infra/providers/contract/probe/scratch.ts";
import {
  acting,
  INFRA_REF,
  stageOn,
  startScratch,
  type TestScratch,
} from "../../../../support/contract/scratch.ts";

const NAME = "contract-managed";
const TITLE = `SimCluster ${NAME}`;

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
    const [cluster, infra] = [snapshot.get(`Cluster ${NAME}`), snapshot.get(TITLE)];
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
