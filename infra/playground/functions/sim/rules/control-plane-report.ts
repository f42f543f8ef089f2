import type { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL, CONTROL_PLANE_LABEL } from "../../../../../shared/api/indexes.ts";
import { isDeleting } from "../../../../../shared/function/guards.ts";
import { done, type Result, requeueAfter, waitFor } from "../../../../../shared/function/result.ts";
import {
  condition,
  conditionOf,
  type DesiredCondition,
} from "../../../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../../../shared/rules/conditions/paused-condition.ts";
import {
  machinesReady,
  machinesUpToDate,
  remediating,
  upToDateExpiresInMs,
  withUpToDateReported,
} from "../../../../../shared/rules/machines/machine-conditions.ts";
import { countVersions, type VersionCount } from "../../../../../shared/rules/machines/versions.ts";
import { refusedReasons } from "../../../../../shared/rules/metadata/refused-write.ts";
import type { SimServer } from "../../../api/sim-cloud.ts";
import { outdatedMachines } from "./control-plane-next-step.ts";
import type { ControlPlaneMachine } from "./control-plane-propagation.ts";
import { isReady } from "./control-plane-remediation.ts";
import {
  type AnyControlPlane,
  faultsOf,
  isInitialized,
  lacksInfrastructure,
  machineTemplateOf,
  wantedVersion,
} from "./control-plane-view.ts";

/** Everything that the status of a control plane is computed from. */
export interface ControlPlaneView {
  readonly object: AnyControlPlane;
  readonly cluster: Cluster;
  readonly server: SimServer | undefined;
  readonly members: readonly ControlPlaneMachine[];
  /** Templates that do not exist, in sentences. */
  readonly missing: readonly string[];
  readonly now: Date;
}

/** The status, in the words of neither contract. */
export interface ControlPlaneReport {
  readonly initialized: boolean | undefined;
  readonly selector: string;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly upToDateReplicas: number;
  readonly versions: readonly VersionCount[] | undefined;
  readonly external: boolean;
  readonly failureReason: string | undefined;
  readonly failureMessage: string | undefined;
  readonly conditions: readonly DesiredCondition[];
  readonly result: Result;
}

/** Computes the status. Initialized is never taken back but by the fault that does so. */
export function controlPlaneReport(view: ControlPlaneView): ControlPlaneReport {
  const { object, cluster, now } = view;
  const faults = faultsOf(object, now);
  const answers = hasAnswered(view);
  const initialized = isInitialized(object) || (answers && faults.initializedInMs === 0);
  const counted = object.spec.machineTemplate === undefined ? externalCounts(view) : machineCounts(view);
  return {
    initialized: faults.uninitialized ? false : initialized || undefined,
    selector: `${CLUSTER_NAME_LABEL}=${cluster.metadata.name},${CONTROL_PLANE_LABEL}`,
    ...counted,
    external: object.spec.machineTemplate === undefined,
    failureReason: faults.failureReason,
    failureMessage: faults.failureMessage,
    conditions: conditionsOf(view, counted, initialized),
    result: resultOf(view, faults.initializedInMs),
  };
}

type Counts = Pick<
  ControlPlaneReport,
  "replicas" | "readyReplicas" | "availableReplicas" | "upToDateReplicas" | "versions"
>;

/** One virtual server stands for all replicas: they are up together and follow every version at once. */
function externalCounts(view: ControlPlaneView): Counts {
  const { replicas } = view.object.spec;
  const up = hasAnswered(view) ? replicas : 0;
  const version = wantedVersion(view.object);
  return {
    replicas,
    readyReplicas: up,
    availableReplicas: up,
    upToDateReplicas: up,
    versions: version === undefined || up === 0 ? undefined : [{ version, replicas: up }],
  };
}

function machineCounts({ members }: ControlPlaneView): Counts {
  const machines = members.map(({ machine }) => machine);
  const having = (type: string) =>
    machines.filter(({ status }) => conditionOf(status?.conditions, type)?.status === "True").length;
  const versions = machines.flatMap(
    ({ status, spec }) => status?.nodeInfo?.kubeletVersion || (spec.version ?? []),
  );
  return {
    replicas: machines.length,
    readyReplicas: machines.filter(isReady).length,
    availableReplicas: having("Available"),
    upToDateReplicas: having("UpToDate"),
    versions: countVersions(versions),
  };
}

/** The kubeconfig is part of it: a client that sees the flag connects with it. */
function hasAnswered({ object, cluster, server }: ControlPlaneView): boolean {
  if (lacksInfrastructure(object, cluster)) return false;
  return server?.status?.ready === true && object.status?.certificates?.ready === true;
}

function conditionsOf(
  view: ControlPlaneView,
  counts: Counts,
  initialized: boolean,
): readonly DesiredCondition[] {
  const { object, cluster, members, now } = view;
  const machines = members.map(({ machine }) => machine);
  return [
    pausedCondition(cluster, object, object.kind),
    availableCondition(view, counts),
    initialized
      ? condition("Initialized", "True", "Initialized")
      : condition("Initialized", "False", "NotInitialized", "The API server has not answered yet"),
    certificatesCondition(view),
    machinesReady("MachinesReady", machines),
    machinesUpToDate("MachinesUpToDate", withUpToDateReported(machines, now)),
    ...changeConditions(view),
    remediating(machines),
    isDeleting(object)
      ? condition("Deleting", "True", "Deleting", deletionMessage(counts.replicas))
      : condition("Deleting", "False", "NotDeleting"),
  ];
}

function deletionMessage(replicas: number): string {
  return replicas === 0 ? "Deletion completed" : `Waiting for the workers, then for ${replicas} Machine(s)`;
}

function availableCondition(view: ControlPlaneView, { availableReplicas }: Counts): DesiredCondition {
  const { object, cluster } = view;
  const no = (message: string) => condition("Available", "False", "NotAvailable", message);
  if (lacksInfrastructure(object, cluster)) {
    return no("The infrastructure of the Cluster is not provisioned");
  }
  if (!hasAnswered(view)) return no(`SimServer ${cluster.metadata.name} is not ready`);
  return object.spec.machineTemplate !== undefined && availableReplicas === 0
    ? no("No Machine of the control plane is available")
    : condition("Available", "True", "Available");
}

function certificatesCondition({ object }: ControlPlaneView): DesiredCondition {
  const { ready = false, message = "" } = object.status?.certificates ?? {};
  return ready
    ? condition("CertificatesAvailable", "True", "Available")
    : condition("CertificatesAvailable", "False", "NotAvailable", message);
}

function changeConditions(view: ControlPlaneView): readonly DesiredCondition[] {
  const { object, members, missing } = view;
  const template = machineTemplateOf(object);
  if (template === undefined || "problem" in template) {
    const message = template?.problem ?? "";
    return ["RollingOut", "ScalingUp", "ScalingDown"].map((type) =>
      condition(type, "False", `Not${type}`, message),
    );
  }
  const outdated = outdatedMachines({ ...view, template });
  const present = members.length;
  const wanted = isDeleting(object) ? 0 : object.spec.replicas;
  const surge = outdated.length > 0 && !isDeleting(object) ? 1 : 0;
  const blockers = [...missing, ...refusedReasons(object)];
  const blocked = blockers.length === 0 ? "" : ` is blocked because:\n* ${blockers.join("\n* ")}`;
  const change = (type: string, isOn: boolean, message: string) =>
    isOn ? condition(type, "True", type, message) : condition(type, "False", `Not${type}`);
  return [
    change("RollingOut", surge > 0, `Rolling out ${outdated.length} not up-to-date replicas${blocked}`),
    change("ScalingUp", present < wanted, `Scaling up from ${present} to ${wanted} replicas${blocked}`),
    change("ScalingDown", present > wanted + surge, `Scaling down from ${present} to ${wanted} replicas`),
  ];
}

function resultOf(view: ControlPlaneView, initializedInMs: number): Result {
  const { object, cluster, members, now } = view;
  const answers = hasAnswered(view);
  if (answers && initializedInMs > 0 && !isInitialized(object)) {
    return requeueAfter(initializedInMs, "the fault initialized-after-seconds");
  }
  const machines = members.map(({ machine }) => machine);
  const reportedInMs = upToDateExpiresInMs(machines, now);
  if (reportedInMs !== undefined) return requeueAfter(reportedInMs, "UpToDate of a young Machine");
  if (answers) return done;
  return lacksInfrastructure(object, cluster)
    ? waitFor("Cluster.status.initialization.infrastructureProvisioned")
    : waitFor("SimServer.status.ready");
}
