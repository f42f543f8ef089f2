import { refTo } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import type { GuardedPatch } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { condition, type DesiredCondition } from "../../../shared/rules/conditions/conditions.ts";
import { REVISION } from "../../../shared/rules/machines/annotations.ts";
import { waitsForRemediation } from "../../../shared/rules/machines/machine-conditions.ts";
import { SKIP_FIELDS } from "../../../shared/rules/machines/preflight.ts";
import {
  byUrgency,
  deferred,
  hasRecovered,
  isMarked,
  MACHINE_DELETING,
  markPatch,
  takeBackPatch,
} from "../../../shared/rules/machines/remediation.ts";
import { annotationsPatch } from "../../../shared/rules/metadata/labels.ts";
import { OWNER_FIELDS } from "../../../shared/rules/metadata/read-owner.ts";

/** The field of a set and of its MachineDeployment by which a set of an older revision is recognized. */
export const REVISION_FIELDS = [`metadata.annotations[${REVISION}]`] as const;
/** The fields of a MachineDeployment that limit remediation. */
export const LIMIT_FIELDS = ["spec.remediation.maxInFlight", "spec.replicas"] as const;

/** The annotation on a set with a limit: a JSON list of the Machines that it is about to mark. */
const BATCH = "capstan.dev/remediation-reservation";
export const BATCH_FIELDS = [`metadata.annotations[${BATCH}]`] as const;
const BATCH_POINTER = `/metadata/annotations/${BATCH.replace("/", "~1")}`;

/** The fields of a set that decide about its unhealthy Machines. */
export const SET_REMEDIATION_FIELDS = [
  "metadata.uid",
  ...OWNER_FIELDS,
  ...BATCH_FIELDS,
  ...REVISION_FIELDS,
  ...SKIP_FIELDS,
  "spec.selector",
  "spec.template.spec",
] as const;

const PENDING_REMOVAL = condition(
  "OwnerRemediated",
  "False",
  "CannotBeRemediated",
  "Machine won't be remediated because it is pending removal due to rollout",
);
const PERCENT = /^(\d{1,9})%$/;

/** Everything that decides about the unhealthy Machines of a set; set and Machines were read live. */
export interface RemediationFacts {
  readonly set: MachineSet;
  readonly machines: readonly Machine[];
  /** The deployment of the set; `undefined`: the set has none, or it is gone. */
  readonly deployment: MachineDeployment | undefined;
  /** Why no Machine is replaced now. */
  readonly blockers: readonly string[];
  readonly now: Date;
}

/** Actions for the Machines that health checks have handed to the set. */
export interface SetRemediation {
  readonly patch: readonly GuardedPatch[];
  /** Marked in an earlier run, so that a crash between mark and deletion is repaired. */
  readonly toDelete: readonly Machine[];
}

/**
 * A Machine that has recovered gets rid of the hand-over, one that is marked is deleted, and of the others as many are
 * marked as the limit allows. With a limit the batch is reserved on the set first: two runs that read the same Machines
 * cannot both mark one more than that.
 */
export function setRemediation(facts: RemediationFacts): SetRemediation {
  const { set, machines, now } = facts;
  const alive = machines.filter((machine) => !isDeleting(machine));
  const waiting = alive.filter(waitsForRemediation);
  const candidates = waiting.filter((machine) => !isMarked(machine)).toSorted(byUrgency);
  const back = alive.filter(hasRecovered).flatMap(takeBackPatch);
  const toDelete = waiting.filter(isMarked);
  const say = (machine: Machine, what: DesiredCondition) => markPatch(machine, what, now);
  const refusal = refusalOf(facts);
  if (refusal !== undefined) {
    const patch = [
      ...back,
      ...candidates.flatMap((machine) => say(machine, refusal)),
      ...batchPatch(set, []),
    ];
    return { patch, toDelete };
  }
  const { now: chosen, later, batch } = choose(facts, candidates);
  const wait = deferred(
    `Waiting because there are already too many remediations in progress (spec.strategy.remediation.maxInFlight is ${String(limitOf(facts.deployment))})`,
  );
  return {
    patch: [
      ...back,
      ...chosen.flatMap((machine) => say(machine, MACHINE_DELETING)),
      ...later.flatMap((machine) => say(machine, wait)),
      ...batchPatch(set, batch),
    ],
    toDelete,
  };
}

/** Returns why none is marked, whatever the limit. */
function refusalOf({ set, deployment, blockers }: RemediationFacts): DesiredCondition | undefined {
  const revision = deployment?.metadata.annotations?.[REVISION];
  if (deployment !== undefined && revision !== set.metadata.annotations?.[REVISION]) return PENDING_REMOVAL;
  return blockers.length === 0 ? undefined : deferred(blockers.map((blocker) => `* ${blocker}`).join("\n"));
}

interface Choice {
  /** Machines that are marked in this run. */
  readonly now: readonly Machine[];
  /** Machines beyond the limit. */
  readonly later: readonly Machine[];
  /** The names that stay, or become, reserved. */
  readonly batch: readonly string[];
}

function choose({ set, machines, deployment }: RemediationFacts, candidates: readonly Machine[]): Choice {
  const limit = maxInFlight(deployment);
  if (limit === undefined) return { now: candidates, later: [], batch: [] };
  const reserved = new Set(batchOf(set));
  const inBatch = candidates.filter(({ metadata }) => reserved.has(metadata.name));
  const others = candidates.filter(({ metadata }) => !reserved.has(metadata.name));
  // Those that are deleted for another reason hold up no remediation; a marked one counts until it is gone.
  const inFlight = machines.filter(isMarked).length + inBatch.length;
  const room = Math.max(0, limit - inFlight);
  const next = inBatch.length > 0 ? [] : others.slice(0, room);
  return {
    now: inBatch,
    later: others.slice(room),
    batch: [...inBatch, ...next].map(({ metadata }) => metadata.name),
  };
}

function limitOf(deployment: MachineDeployment | undefined): number | string | undefined {
  return deployment?.spec?.remediation?.maxInFlight;
}

/** A number, or a percentage of the replicas, rounded up; `undefined`: no limit. Any other text allows none. */
function maxInFlight(deployment: MachineDeployment | undefined): number | undefined {
  const limit = limitOf(deployment);
  if (limit === undefined || typeof limit === "number") return limit;
  const [, percent] = PERCENT.exec(limit) ?? [];
  if (percent === undefined) return 0;
  return Math.ceil((Number(percent) * (deployment?.spec?.replicas ?? 1)) / 100);
}

/** Whether a batch is reserved on a set: it is removed when nothing of it is left. */
export function hasBatch({ metadata }: MachineSet): boolean {
  return metadata.annotations?.[BATCH] !== undefined;
}

function batchOf({ metadata }: MachineSet): readonly string[] {
  const text = metadata.annotations?.[BATCH];
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : [];
  } catch {
    return [];
  }
}

function batchPatch(set: MachineSet, names: readonly string[]): readonly GuardedPatch[] {
  const operations: readonly PatchOperation[] =
    names.length > 0
      ? annotationsPatch(set, { [BATCH]: JSON.stringify(names) })
      : hasBatch(set)
        ? [{ op: "remove", path: BATCH_POINTER }]
        : [];
  return operations.length === 0 ? [] : [{ target: refTo(MachineSet, set), operations }];
}
