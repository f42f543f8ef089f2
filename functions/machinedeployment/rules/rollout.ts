import { refTo } from "../../../shared/api/kinds.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { escapePointer } from "../../../shared/api/path.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { GuardedDelete, GuardedPatch } from "../../../shared/function/define-function.ts";
import { GETS_MACHINES, MOVES_MACHINES, REVISION } from "../../../shared/rules/machines/annotations.ts";
import { annotationsPatch } from "../../../shared/rules/metadata/labels.ts";
import { DESIRED_REPLICAS, REVISION_HISTORY } from "../../../shared/rules/rollout/plan-input.ts";
import type { Change, Plan } from "../../../shared/rules/rollout/plan-types.ts";
import { MAX_REPLICAS } from "./given.ts";
import { inPlacePatch } from "./in-place.ts";
import type { SetsView } from "./sets-view.ts";

/** A set that the server refuses to make, to change or to delete is tried again after this: no watch shows when it would. */
export const SET_AGAIN_MS = 15 * SECOND;

/** The part of a rollout that concerns sets which are there; `undefined` stands for a wish that cannot be read. */
export interface RolloutWrites {
  readonly patch: readonly GuardedPatch[];
  readonly delete: readonly GuardedDelete[];
}

/**
 * Returns the writes for the sets that are there: one patch for each set that differs, with its size and what goes in
 * place, the revision of the deployment, and the deletes of sets that have ended. Without a plan only what goes in place.
 */
export function rolloutWrites({ deployment, own }: SetsView, plan: Plan | undefined): RolloutWrites {
  const changes = plan?.changes ?? [];
  const removed = new Set(changes.flatMap((change) => (change.do === "remove" ? [change.set] : [])));
  const isEnding = ({ metadata }: MachineSet) => removed.has(metadata.name);
  const patches = own.filter((set) => !isEnding(set)).map((set) => setPatch(deployment, set, plan));
  return {
    patch: [...patches, ...revisionPatch(deployment, own, plan)].filter(
      ({ operations }) => operations.length > 0,
    ),
    delete: own.filter(isEnding).map((set) => ({
      target: refTo(MachineSet, set),
      ifFails: {
        event: "FailedDelete",
        againAfterMs: SET_AGAIN_MS,
        says: `Failed to delete MachineSet "${set.metadata.name}"`,
      },
      announces: {
        type: "Normal",
        reason: "SuccessfulDelete",
        message: `Deleted MachineSet "${set.metadata.name}"`,
      },
    })),
  };
}

/** Returns the annotations of a set that follow from the plan; `name` is absent for a set that will be made. */
export function plannedAnnotations(
  { spec }: MachineDeployment,
  { limits, changes, current }: Plan,
  name?: string,
): { readonly [key: string]: string } {
  const isOld = name !== undefined && name !== current;
  const isOnDelete = spec.rollout?.strategy?.type === "OnDelete";
  const change = changes.find((one) => (name === undefined ? one.do === "create" : isRevisionOf(one, name)));
  return {
    [DESIRED_REPLICAS]: String(spec.replicas ?? 0),
    [MAX_REPLICAS]: String(limits.atMost),
    "cluster.x-k8s.io/disable-machine-create": String(isOld && isOnDelete),
    ...(change?.do === "create" || change?.do === "revise" ? { [REVISION]: change.revision } : {}),
    ...(change?.do === "revise" && change.history !== undefined
      ? { [REVISION_HISTORY]: change.history }
      : {}),
  };
}

function isRevisionOf(change: Change, set: string): change is Extract<Change, { do: "revise" }> {
  return change.do === "revise" && change.set === set;
}

function isSizeOf(change: Change, set: string): change is Extract<Change, { do: "resize" }> {
  return change.do === "resize" && change.set === set;
}

function setPatch(deployment: MachineDeployment, set: MachineSet, plan: Plan | undefined): GuardedPatch {
  const { name, namespace = "" } = set.metadata;
  const planned = plan === undefined ? {} : plannedAnnotations(deployment, plan, name);
  const inPlace = [...inPlacePatch(deployment, set, planned), ...endedMove(set)];
  const size = plan?.changes.find((change) => isSizeOf(change, name));
  const target = refTo(MachineSet, set);
  const failed = (verb: "update" | "scale") => ({
    event: verb === "scale" ? "FailedScale" : "FailedUpdate",
    againAfterMs: SET_AGAIN_MS,
    says: `Failed to ${verb} MachineSet ${namespace}/${name}`,
  });
  if (size === undefined) return { target, operations: inPlace, ifFails: failed("update") };
  const isPaused = deployment.spec.paused === true;
  const sizes = `${size.from} -> ${size.to}`;
  return {
    target,
    operations: [...inPlace, { op: "add", path: "/spec/replicas", value: size.to }],
    ifFails: failed(isPaused ? "scale" : "update"),
    announces: {
      type: "Normal",
      reason: "SuccessfulScale",
      message: isPaused
        ? `Scaled MachineSet ${namespace}/${name}: ${sizes}`
        : `Scaled ${size.to > size.from ? "up" : "down"} MachineSet ${name}: ${sizes}`,
    },
  };
}

/**
 * Cluster API's manager was moving Machines between the sets, to update them in place, when the deployment changed hands.
 * Nothing moves them any more: as upstream when it stops planning a move, the marks go, and the rollout replaces Machines.
 */
function endedMove({ metadata }: MachineSet): readonly PatchOperation[] {
  return [MOVES_MACHINES, GETS_MACHINES]
    .filter((key) => Object.hasOwn(metadata.annotations ?? {}, key))
    .map((key) => ({ op: "remove", path: `/metadata/annotations/${escapePointer(key)}` }));
}

/**
 * The deployment carries the revision of its current set: its Machines are remediated by that. Not that of a set which is
 * still to be made: were it refused, the Machines that are there would count as outdated.
 */
function revisionPatch(
  deployment: MachineDeployment,
  own: readonly MachineSet[],
  plan: Plan | undefined,
): readonly GuardedPatch[] {
  const current = own.find(({ metadata }) => metadata.name === plan?.current);
  if (plan === undefined || current === undefined) return [];
  const { name, annotations } = current.metadata;
  const revision =
    plan.changes.find((change) => isRevisionOf(change, name))?.revision ?? annotations?.[REVISION];
  const operations = revision === undefined ? [] : annotationsPatch(deployment, { [REVISION]: revision });
  return [{ target: refTo(MachineDeployment, deployment), operations }];
}
