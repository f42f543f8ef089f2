import { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../../../../shared/api/conditions.ts";
import { type KubeObject, objectKeyOf } from "../../../../../shared/api/kinds.ts";
import { type At, valueAt } from "../../../../../shared/api/path.ts";
import type { StepContext } from "../../../../../shared/function/define-function.ts";
import { isPaused } from "../../../../../shared/function/guards.ts";
import { waitFor } from "../../../../../shared/function/result.ts";
import { setConditions } from "../../../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../../../shared/rules/conditions/paused-condition.ts";
import { readOwner } from "../../../../../shared/rules/metadata/read-owner.ts";
import { SimServer } from "../../../api/sim-cloud.ts";
import type { SimControlPlaneLegacy } from "../../../api/sim-controlplane-legacy.ts";
import { missingTemplates, readMachines, readTemplates, withClones } from "./control-plane-reads.ts";
import { type ControlPlaneReport, controlPlaneReport } from "./control-plane-report.ts";
import { type AnyControlPlane, faultsOf, machineTemplateOf } from "./control-plane-view.ts";

/** Returns the stored values of the fields that a function owns: an apply of them changes nothing. */
export function storedValues<T extends KubeObject, Owned extends string>(
  object: T,
  owned: readonly Owned[],
): { readonly [P in Owned]: At<T, P> | undefined } {
  const values = Object.fromEntries(owned.map((path) => [path, valueAt(object, path)]));
  return values as { readonly [P in Owned]: At<T, P> | undefined };
}

/** The conditions as they are stored; those of the contract v1beta1 also say how severe they are. */
export type StoredConditions = NonNullable<NonNullable<SimControlPlaneLegacy["status"]>["conditions"]>;

/** The report of a control plane; paused: only its conditions; without Cluster: what it waits for. */
type Reported =
  | { readonly state: "unowned"; readonly result: ControlPlaneReport["result"] }
  | { readonly state: "paused"; readonly conditions: StoredConditions }
  | {
      readonly state: "reported";
      readonly report: ControlPlaneReport;
      readonly conditions: StoredConditions;
    };

/** Reads everything that the status needs and computes it. */
export async function reportControlPlane(
  object: AnyControlPlane,
  { read, now }: StepContext,
): Promise<Reported> {
  const cluster = await readOwner(Cluster, object, read);
  if (cluster === undefined) {
    return { state: "unowned", result: waitFor(`${object.kind}.metadata.ownerReferences`) };
  }
  if (isPaused(cluster, object)) {
    const paused = pausedCondition(cluster, object, object.kind);
    return { state: "paused", conditions: store(object, [paused], now) };
  }
  const template = machineTemplateOf(object);
  const isReadable = template !== undefined && !("problem" in template);
  const [server, members, missing] = await Promise.all([
    read.get(SimServer, objectKeyOf(cluster)),
    readMachines(read, object, cluster).then((machines) => withClones(read, machines)),
    isReadable
      ? readTemplates(read, object, template).then((found) => missingTemplates(template, found))
      : [],
  ]);
  const report = controlPlaneReport({ object, cluster, server, members, missing, now });
  return { state: "reported", report, conditions: store(object, report.conditions, now) };
}

function store(
  object: AnyControlPlane,
  desired: ControlPlaneReport["conditions"],
  now: Date,
): StoredConditions {
  // A status that a fault has written is replaced as a whole.
  const previous = object.status?.conditions as readonly Condition[] | undefined;
  const stored: StoredConditions = setConditions(previous, desired, now, object.metadata.generation);
  const { invalidAvailable } = faultsOf(object, now);
  if (!invalidAvailable) return stored;
  return stored.map((each) => (each.type === "Available" ? { ...each, status: "Sometimes" } : each));
}
