import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { Pod } from "../../../shared/api/workload.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import { simCluster, simMachine } from "../../support/manifests.ts";
import { isReady } from "./sets.ts";
import type { Workload } from "./workload.ts";

const MINUTE = 60_000;
const HOOK = "pre-drain.delete.hook.machine.cluster.x-k8s.io/backup";
const ANNOTATIONS = "/metadata/annotations";
const LABELS = { app: "web" };
const WEB = { namespace: "default", name: "web" };

const PodDisruptionBudget: Kind = {
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
};

export const w23: Workload = {
  number: "W-23",
  title: "a Machine is deleted: a hook holds the drain, then a budget of 0, until it is raised",
  hasNoPool: true,
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simMachine("m1", "c1")}`);
    const isUp = () => user.list(Machine).some(isReady);
    await user.until(isUp);
    const { name: nodeName = "" } = user.see(Machine, "m1")?.status?.nodeRef ?? {};
    await user.onWorkload("c1", (client) => runPod(client, nodeName));
    await user.patch(Machine as Kind, "m1", [{ op: "add", path: ANNOTATIONS, value: { [HOOK]: "" } }]);
    await user.delete(Machine as Kind, "m1");
    await user.rest(2 * MINUTE);
    await user.patch(Machine as Kind, "m1", [{ op: "remove", path: ANNOTATIONS }]);
    await user.rest(2 * MINUTE);
    await user.onWorkload("c1", raiseBudget);
    await user.until(() => user.see(Machine, "m1") === undefined);
  },
};

/** A Pod that runs on the Node, and a budget that allows no disruption. */
async function runPod(client: KubeClient, nodeName: string): Promise<void> {
  const metadata = { ...WEB, labels: LABELS };
  const containers = [{ name: "web", image: "web" }];
  const spec = { nodeName, terminationGracePeriodSeconds: 5, containers };
  await client.apply(Pod as Kind, WEB, { apiVersion: "v1", kind: "Pod", metadata, spec });
  const ready = { type: "Ready", status: "True" };
  const status = { phase: "Running", conditions: [ready] };
  await client.apply(Pod as Kind, WEB, { apiVersion: "v1", kind: "Pod", metadata, status }, "status");
  await client.apply(PodDisruptionBudget, WEB, {
    ...BUDGET,
    spec: { minAvailable: 1, selector: { matchLabels: LABELS } },
  });
  await allow(client, 0);
}

/** Where a recreated Cluster has another server, the budget has gone with the first one. */
async function raiseBudget(client: KubeClient): Promise<void> {
  if ((await client.get(PodDisruptionBudget, WEB)) !== undefined) await allow(client, 1);
}

const BUDGET = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: WEB };

async function allow(client: KubeClient, disruptionsAllowed: number): Promise<void> {
  const healthy = { currentHealthy: 1, desiredHealthy: 1 - disruptionsAllowed, expectedPods: 1 };
  const status = { ...healthy, disruptionsAllowed, observedGeneration: 1 };
  await client.apply(PodDisruptionBudget, WEB, { ...BUDGET, status }, "status");
}
