import { expect, it } from "vitest";
import { SimCluster } from "../../../../../infra/playground/api/sim-cluster.ts";
import {
  pauseByAnnotation,
  pauseByCluster,
} from "../../../../../infra/providers/contract/probe/pause-trials.ts";
import { look } from "../../../../../infra/providers/contract/probe/scratch.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import {
  acting,
  addCluster,
  stageOn,
  startScratch,
  type TestScratch,
} from "../../../../support/contract/scratch.ts";

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
