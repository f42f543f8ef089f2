import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { compareText, conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { reservedNames } from "../../../shared/rules/machines/reservation.ts";

/** A fact about an object that its kind alone has. */
export interface Detail {
  /** `stage`, `Node`, `reserved`: the first column. */
  readonly about: string;
  /** The lines, at least one. */
  readonly lines: readonly string[];
  /** It holds something up. */
  readonly isProblem?: true;
  /** The type of the condition that it says in full. */
  readonly condition?: string;
}

/** The details of a Machine or MachineSet; none of other kinds. They come from the object alone. */
export function detailsOf(kind: Kind, object: KubeObject): readonly Detail[] {
  if (isOf(kind, Machine, object)) return detailsOfMachine(object);
  return isOf(kind, MachineSet, object) ? detailsOfSet(object) : [];
}

function isOf<T extends KubeObject>(kind: Kind, wanted: Kind<T>, object: KubeObject): object is T {
  return object.kind === wanted.kind && kind.group === wanted.group;
}

function detailsOfMachine(machine: Machine): readonly Detail[] {
  return [nodeOf(machine), ...deletionOf(machine)];
}

/** The Node, or the words of the condition that says why it is missing. */
function nodeOf({ spec, status }: Machine): Detail {
  const about = "Node";
  const name = status?.nodeRef?.name;
  const ready = conditionOf(status?.conditions, "NodeReady");
  if (name !== undefined) {
    const state = ready === undefined ? "" : `, NodeReady ${ready.status}`;
    return { about, lines: [`${name}${state}`] };
  }
  const waits = spec.providerID === undefined ? "the Machine has no provider ID yet" : "none yet";
  return { about, lines: [ready === undefined || ready.message === "" ? waits : ready.message] };
}

/** Reasons of `Deleting` in the order of the stages. */
const STAGES = [
  "WaitingForPreDrainHook",
  "DrainingNode",
  "WaitingForVolumeDetach",
  "WaitingForPreTerminateHook",
  "WaitingForInfrastructureDeletion",
  "WaitingForBootstrapDeletion",
  "DeletingNode",
  "DeletionCompleted",
];

function deletionOf(machine: Machine): readonly Detail[] {
  const { metadata, status } = machine;
  if (metadata.deletionTimestamp === undefined) return [];
  const condition = conditionOf(status?.conditions, "Deleting");
  const { reason = "", message = "" } = condition ?? {};
  const at = STAGES.indexOf(reason) + 1;
  const since = startOf(machine, reason);
  const title = [
    at === 0 ? "begins" : `${at} of ${STAGES.length}, ${reason}`,
    ...(since === undefined ? [] : [`since ${since}`]),
  ].join(" ");
  return [
    { about: "stage", lines: [title, ...linesOf(message)], isProblem: true, condition: "Deleting" },
    ...hooksOf(machine, reason),
    ...endOf(machine, reason),
  ];
}

/** The start of the present stage, where the status has one. */
function startOf({ status }: Machine, reason: string): string | undefined {
  const { deletion } = status ?? {};
  switch (reason) {
    case "WaitingForPreDrainHook":
      return deletion?.waitForPreDrainHookStartTime;
    case "DrainingNode":
      return deletion?.nodeDrainStartTime;
    case "WaitingForVolumeDetach":
      return deletion?.waitForNodeVolumeDetachStartTime;
    case "WaitingForPreTerminateHook":
      return deletion?.waitForPreTerminateHookStartTime;
    default:
      return undefined;
  }
}

/** Returns how a hook is released: its annotation is removed by who set it. */
function hooksOf({ metadata }: Machine, reason: string): readonly Detail[] {
  const points = { WaitingForPreDrainHook: "pre-drain", WaitingForPreTerminateHook: "pre-terminate" };
  const point = Object.hasOwn(points, reason) ? points[reason as keyof typeof points] : undefined;
  if (point === undefined) return [];
  const { annotations = {}, namespace, name } = metadata;
  const keys = Object.keys(annotations).filter((key) => key.startsWith(`${point}.delete.hook.`));
  return keys.sort(compareText).map((key) => ({
    about: "hook",
    lines: [
      `${key}${annotations[key] === "" ? "" : `, set by ${annotations[key]}`}`,
      `released by: kubectl --namespace ${namespace} annotate machine ${name} ${key}-`,
    ],
    isProblem: true,
  }));
}

/** Timeout and annotation that end a stage of the Node. */
const LIMITS = {
  DrainingNode: ["nodeDrainTimeoutSeconds", "machine.cluster.x-k8s.io/exclude-node-draining"],
  WaitingForVolumeDetach: [
    "nodeVolumeDetachTimeoutSeconds",
    "machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach",
  ],
  DeletingNode: ["nodeDeletionTimeoutSeconds", undefined],
} as const;

/** Returns when a stage ends whatever remains; without a timeout, what a user can do. */
function endOf(machine: Machine, reason: string): readonly Detail[] {
  if (!Object.hasOwn(LIMITS, reason)) return [];
  const [field, annotation] = LIMITS[reason as keyof typeof LIMITS];
  const { spec, metadata } = machine;
  const seconds = spec.deletion?.[field] ?? 0;
  const since = startOf(machine, reason) ?? metadata.deletionTimestamp;
  const about = "ends";
  if (seconds > 0 && since !== undefined) {
    const at = new Date(Date.parse(since) + seconds * 1_000).toISOString();
    return [{ about, lines: [`at ${at.replace(".000Z", "Z")} at the latest, by ${field} ${seconds}`] }];
  }
  const other = annotation === undefined ? "" : ` or annotation ${annotation}`;
  return [{ about, lines: [`never by itself: spec.deletion.${field}${other} would end it`] }];
}

function detailsOfSet(set: MachineSet): readonly Detail[] {
  const { spec, status } = set;
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0, upToDateReplicas = 0 } = status ?? {};
  const counts = `${replicas} of ${spec.replicas ?? "?"}, ${readyReplicas} ready, ${availableReplicas} available, ${upToDateReplicas} up to date`;
  const reserved = reservedNames(set);
  const blocked = conditionOf(status?.conditions, "ScalingUp")?.message ?? "";
  return [
    { about: "Machines", lines: [counts] },
    ...(reserved.length === 0 ? [] : [{ about: "reserved", lines: [reserved.join(", ")] }]),
    ...(blocked.includes("blocked because")
      ? [{ about: "blocked", lines: linesOf(blocked), isProblem: true, condition: "ScalingUp" } as const]
      : []),
  ];
}

function linesOf(message: string): readonly string[] {
  return message === "" ? [] : message.split("\n");
}
