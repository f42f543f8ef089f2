import { setTimeout } from "node:timers/promises";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { Node } from "../../shared/api/core.ts";
import { CLUSTER_NAME_LABEL } from "../../shared/api/indexes.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { round, startCapstan, startWorld } from "./capstan-process.ts";
import {
  beatNodes,
  createChecks,
  type Fleet,
  fleetOf,
  labelsOf,
  limitChecks,
  readyNode,
  untilCounted,
} from "./checked-fleet.ts";
import { requestsIn } from "./function-requests.ts";
import { differences, hasHealth } from "./mhc-phases.ts";
import { createMachine, prepareMachineClusters } from "./ready-machines.ts";
import { sideBySide } from "./ready-pools.ts";
import { untilAll, untilConnected } from "./until.ts";

const RUN = "mhc-machines";
/** Changes of the limit, each of which makes the check judge all its targets without anything to write. */
const CHANGES = 5;
const BEATS = 1_000;
const BEATS_MS = 10_000;
const SETTLE_MS = 5_000;

/** One health check of many Machines, whose controllers have done their work before. */
export interface LargeCheck {
  readonly machines: number;
  /** Until each of them has its first verdict, and the check counts them all. */
  readonly judgedSeconds: number;
  /** The longest run that finds nothing to write, of which runs of one change are the mean. */
  readonly idleRunSeconds: number;
  /** Of Capstan's functions, within as many heartbeats of Nodes. */
  readonly requestsAtRest: number;
  readonly runsPerHeartbeat: number;
  readonly cpuSeconds: number;
  readonly residentMiB: number;
  readonly peakMiB: number;
}

export async function measureLargeCheck(machines: number): Promise<LargeCheck> {
  await using world = await startWorld();
  const { client, kubeconfig, kubeconfigFile, auditLog = "" } = world;
  const fleet = fleetOf(machines, 1);
  await installCrds(client, systemClock);
  await prepareMachineClusters(client, [fleet.cluster], kubeconfig);
  await sideBySide(fleet.machines, (name, at) => createJoined(client, name, fleet, at));
  await using capstan = await startCapstan(kubeconfigFile, ["cluster-*", "mhc-*"]);
  await untilConnected(client);
  await setTimeout(SETTLE_MS);

  const before = await capstan.usage();
  const startedAt = performance.now();
  await createChecks(client, fleet);
  await untilAll(client, Machine as Kind, machines, hasHealth("True"));
  await untilCounted(client, fleet, machines);
  const judgedSeconds = (performance.now() - startedAt) / 1_000;
  await setTimeout(SETTLE_MS);

  const idleRuns: number[] = [];
  for (let change = 0; change < CHANGES; change += 1) {
    const [secondsBefore, runsBefore] = [await capstan.runSeconds(), await capstan.jobs()];
    await limitChecks(client, fleet, `${90 + change}%`);
    await setTimeout(SETTLE_MS);
    const seconds = grown(secondsBefore, await capstan.runSeconds());
    idleRuns.push(seconds / grown(runsBefore, await capstan.jobs()));
  }

  const [asked, ran] = [await requestsIn(auditLog), await capstan.jobs()];
  const beating = fleet.machines.slice(0, BEATS);
  await beatNodes(client, beating, BEATS_MS);
  await setTimeout(SETTLE_MS);
  const runs = Object.values(differences(ran, await capstan.jobs())).reduce((a, b) => a + b, 0);
  const after = await capstan.usage();
  return {
    machines,
    judgedSeconds: round(judgedSeconds, 1),
    idleRunSeconds: round(idleRuns.reduce((a, b) => Math.max(a, b))),
    requestsAtRest: (await requestsIn(auditLog)).length - asked.length,
    runsPerHeartbeat: round(runs / beating.length, 2),
    cpuSeconds: round(after.cpuSeconds - before.cpuSeconds, 1),
    residentMiB: after.residentMiB,
    peakMiB: after.peakMiB,
  };
}

function grown(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  return (after.get(RUN) ?? 0) - (before.get(RUN) ?? 0);
}

/** A Machine with its Node, as their controllers leave them. */
async function createJoined(client: KubeClient, name: string, fleet: Fleet, at: number): Promise<void> {
  const labels = { ...labelsOf(fleet, at), [CLUSTER_NAME_LABEL]: fleet.cluster };
  const condition = {
    status: "True",
    reason: "Ready",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const status = {
    phase: "Running",
    nodeRef: { name },
    initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
    conditions: [
      "Available",
      "BootstrapConfigReady",
      "InfrastructureReady",
      "NodeHealthy",
      "NodeReady",
      "Ready",
    ].map((type) => ({ type, ...condition })),
  };
  await Promise.all([
    client.create(Node, readyNode(name, Date.now())),
    createMachine(client, name, fleet.cluster, labels),
  ]);
  await client.jsonPatch(
    Machine as Kind,
    { namespace: "default", name },
    [{ op: "add", path: "/status", value: status }],
    "status",
  );
}
