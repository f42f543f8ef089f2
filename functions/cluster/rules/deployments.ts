import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Workers } from "../../../shared/api/cluster/workers.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { notRun } from "../../../shared/rules/coexistence/kinds-not-run.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";

/** A controller that runs sees a new object sooner. */
const UNSEEN_MS = 10 * SECOND;
const MAX_EVENTS = 5;

/** The MachineDeployments of a Cluster as its status shows them. */
export interface DeploymentReport {
  readonly workers: readonly Workers[];
  readonly events: readonly Notice[];
  /** When a controller has had its time to see the youngest. */
  readonly expiresInMs?: number | undefined;
}

/**
 * MachineDeployments count as workers. One that no controller has seen 10 s after its creation is not available, and a
 * Warning Event on it and on the Cluster says that Capstan does not run it, and what does.
 */
export function deploymentReport(
  cluster: Cluster,
  deployments: readonly MachineDeployment[],
  now: Date,
): DeploymentReport {
  const leftMs = (deployment: MachineDeployment) => unseenForMs(deployment, now);
  const unseen = isDeleting(cluster) ? [] : deployments.filter((one) => leftMs(one) !== undefined);
  const left = unseen.filter((one) => leftMs(one) === 0);
  const waits = unseen.map((one) => leftMs(one) ?? 0).filter((ms) => ms > 0);
  return {
    workers: deployments.map((one) => (left.includes(one) ? unavailable(one) : one)),
    events: left
      .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))
      .slice(0, MAX_EVENTS)
      .flatMap(warnings),
    expiresInMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/** Returns how long a controller still has to see it; 0: its time is over; `undefined`: it was seen, or is going. */
function unseenForMs({ metadata, status }: MachineDeployment, now: Date): number | undefined {
  if (status?.observedGeneration !== undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const createdAt = Date.parse(metadata.creationTimestamp ?? "");
  return Number.isNaN(createdAt) ? 0 : Math.max(0, createdAt + UNSEEN_MS - now.getTime());
}

function unavailable(deployment: MachineDeployment): Workers {
  const message = notRun(deployment) ?? "";
  const available = { type: "Available", status: "False", reason: "NotAvailable", message };
  return { ...deployment, status: { ...deployment.status, conditions: [available] } };
}

function warnings(deployment: MachineDeployment): readonly Notice[] {
  const { apiVersion, kind, metadata } = deployment;
  const { name, namespace, uid, resourceVersion } = metadata;
  const message = notRun(deployment) ?? "";
  const common = { type: "Warning", reason: "MachineDeploymentNotSupported" } as const;
  const about = { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
  return [
    { ...common, message: `${kind} ${name}: ${message}` },
    { ...common, message, about },
  ];
}
