import { expect, it } from "vitest";
import { createMetrics } from "../../../../infra/worker/telemetry/metrics.ts";
import { meterRollouts } from "../../../../infra/worker/telemetry/rollout-metrics.ts";
import type { Selection } from "../../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { machineCondition } from "../../../support/builders.ts";
import { machineDeployment, setOfDeployment } from "../../../support/foo-deployments.ts";
import { NOW } from "../../../support/world.ts";

it("counts rollouts that have stood still for ten minutes, and looks at the sets of no deployment at rest", async () => {
  const moving = { conditions: [machineCondition("RollingOut", "True", "RollingOut")] };
  const deployments = [
    machineDeployment({ status: moving }),
    machineDeployment({ metadata: { name: "d2", uid: "uid-d2" } }),
  ];
  const metadata = { annotations: { "machinedeployment.clusters.x-k8s.io/revision": "1" } };
  let set = setOfDeployment("d1-aaaaa", { metadata, status: { replicas: 3, availableReplicas: 1 } });
  const asked: Selection[] = [];
  let isAway = false;
  const list = async ({ kind }: { readonly kind: string }, selection: Selection): Promise<KubeObject[]> => {
    if (isAway) throw new Error("away");
    if (kind === "MachineDeployment") return deployments;
    asked.push(selection);
    return [set];
  };
  const metrics = await createMetrics([]);
  let now = NOW;
  meterRollouts({ list } as never, metrics, { now: () => now } as never);
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 1\n");
  expect(asked).toEqual([{ index: { name: "owner", values: ["uid-d1"] } }]);

  now = new Date(Date.parse(set.metadata.creationTimestamp ?? "") + 599_000);
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 0\n");
  now = NOW;
  set = setOfDeployment("d1-aaaaa", {
    metadata,
    status: { replicas: 3, availableReplicas: 3, upToDateReplicas: 3 },
  });
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 0\n");

  isAway = true;
  expect(await metrics.text()).not.toContain("\ncapstan_rollouts_standing_still ");
});
