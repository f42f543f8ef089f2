import { expect, it } from "vitest";
import { createMetrics } from "../../../../infra/worker/telemetry/metrics.ts";
import { meterRollouts } from "../../../../infra/worker/telemetry/rollout-metrics.ts";
import type { Selection } from "../../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { machineCondition } from "../../../support/builders.ts";
import { machineDeployment, setOfDeployment } from "../../../support/foo-deployments.ts";

it("counts rollouts that have stood still for ten minutes, once a minute, and looks at the sets of no deployment at rest", async () => {
  const moving = { conditions: [machineCondition("RollingOut", "True", "RollingOut")] };
  const deployments = [
    machineDeployment({ status: moving }),
    machineDeployment({ metadata: { name: "d2", uid: "uid-d2" } }),
  ];
  const metadata = { annotations: { "machinedeployment.clusters.x-k8s.io/revision": "1" } };
  let set = setOfDeployment("d1-aaaaa", { metadata, status: { replicas: 3, availableReplicas: 1 } });
  const asked: Selection[] = [];
  const server: { isAway: boolean } = { isAway: false };
  const each = async function* (): AsyncIterable<KubeObject> {
    if (server.isAway) throw new Error("away");
    yield* deployments;
  };
  const list = async (_: unknown, selection: Selection): Promise<KubeObject[]> => {
    asked.push(selection);
    return [set];
  };
  let heardAt: Date | undefined;
  const signs = {
    read: async () => heardAt && new Map([["cluster.x-k8s.io/MachineDeployment", heardAt]]),
  };
  const metrics = await createMetrics([]);
  let now = new Date(Date.parse(set.metadata.creationTimestamp ?? "") + 599_000);
  meterRollouts({ each, list, signs } as never, metrics, { now: () => now } as never);
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 0\n");
  now = new Date(now.getTime() + 59_000);
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 0\n");
  expect(asked).toEqual([{ index: { name: "owner", values: ["uid-d1"] } }]);
  now = new Date(now.getTime() + 1_000);
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 1\n");

  now = new Date(now.getTime() + 60_000);
  set = setOfDeployment("d1-aaaaa", {
    metadata,
    status: { replicas: 3, availableReplicas: 3, upToDateReplicas: 3 },
  });
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 0\n");

  heardAt = now;
  now = new Date(now.getTime() + 60_000);
  expect(await metrics.text()).not.toContain("\ncapstan_rollouts_standing_still ");
  heardAt = now;
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 0\n");

  server.isAway = true;
  now = new Date(now.getTime() + 60_000);
  expect(await metrics.text()).not.toContain("\ncapstan_rollouts_standing_still ");
});
