import type { Machine } from "../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Decision, Notice } from "../../../shared/function/define-function.ts";
import { type Result, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import {
  condition,
  conditionOf,
  setConditions,
  timestamp,
} from "../../../shared/rules/conditions/conditions.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import { applyOwnPart } from "../../../shared/rules/status/own-part.ts";
import { present } from "../../../shared/rules/status/present.ts";
import { type DrainPart, leftMs, startOf } from "./drain-timers.ts";

/** Pods and volumes are not watched: they are looked at again after this time. */
const AGAIN_MS = 20 * SECOND;
const MAX_PROBLEM = 1_000;

type Status = NonNullable<Machine["status"]>;
export type DrainDecision = Decision<Machine, "status">;

/** The Machine as its snapshot shows it, with the time of the run and what the run has come to. */
export interface DrainRun {
  readonly machine: Machine;
  readonly now: Date;
  /** Parts that this run has looked after. */
  readonly begun: readonly DrainPart[];
  readonly events: readonly Notice[];
}

/**
 * Returns the condition `Deleting` and the start times of drain and volumes: all that the drain owns of a status. Left
 * out when nothing of it changes.
 */
export function applied(
  run: DrainRun,
  reason: string,
  message: string,
): Pick<DrainDecision, "apply" | "own"> {
  const { machine, now, begun } = run;
  const { status: stored, metadata } = machine;
  const before = conditionOf(stored?.conditions, "Deleting");
  const conditions = setConditions(
    before === undefined ? [] : [before],
    [condition("Deleting", "True", reason, message)],
    now,
    metadata.generation,
  );
  const started = (part: DrainPart) =>
    startOf(machine, part) ?? (begun.includes(part) ? timestamp(now) : undefined);
  const own = partOf(before === undefined ? [] : [before], (part) => startOf(machine, part));
  return applyOwnPart(stored, own, partOf(conditions, started));
}

function partOf(conditions: Status["conditions"], started: (part: DrainPart) => string | undefined): Status {
  const deletion = {
    ...present("nodeDrainStartTime", started("drain")),
    ...present("waitForNodeVolumeDetachStartTime", started("volumes")),
  };
  return { conditions, ...(Object.keys(deletion).length === 0 ? {} : { deletion }) };
}

/** Looks again in 20 s, or when the part is given up; not earlier, whatever changes meanwhile. */
export function again(run: DrainRun, part: DrainPart): Pick<DrainDecision, "result" | "notBeforeMs"> {
  const afterMs = Math.min(AGAIN_MS, restMs(run, part));
  const why = part === "drain" ? "Pods are still on the Node" : "volumes are still attached to the Node";
  return { result: requeueAfter(afterMs, why), notBeforeMs: afterMs };
}

/** The timeout runs also without a connection. */
function awaitConnection(run: DrainRun, part: DrainPart): Result {
  const left = restMs(run, part);
  return Number.isFinite(left)
    ? requeueAfter(left, "the connection to the workload cluster, or the timeout")
    : waitFor("Connection.status.state");
}

const REASONS = { drain: "DrainingNode", volumes: "WaitingForVolumeDetach" } as const;

/** The decision while a part lasts. */
export function lasting(run: DrainRun, part: DrainPart, message: string): DrainDecision {
  return {
    ...applied(withPart(run, part), REASONS[part], message),
    events: run.events,
    ...again(run, part),
  };
}

/** The decision while the workload cluster is not connected; `why` names a missing Secret. */
export function unconnected(run: DrainRun, part: DrainPart, why: string): DrainDecision {
  const purpose = part === "drain" ? "drain the Node" : "look for attached volumes";
  const message = `Waiting for the connection to the workload cluster to ${purpose}: ${truncate(why, MAX_PROBLEM)}`;
  return {
    ...applied(withPart(run, part), REASONS[part], message),
    events: run.events,
    result: awaitConnection(run, part),
  };
}

const ERRORS = {
  drain: { message: "Error draining Node", event: "FailedDrainNode", about: "error draining Machine's node" },
  volumes: {
    message: "Error waiting for volumes to be detached from Node",
    event: "FailedWaitForVolumeDetach",
    about: "error waiting for node volumes detaching, Machine's node",
  },
} as const;

/** The decision while something keeps a part from being judged; one Event until that is over. */
export function stuck(run: DrainRun, part: DrainPart, problem: string): DrainDecision {
  const { message, event, about } = ERRORS[part];
  const text = truncate(problem, MAX_PROBLEM);
  const isReported =
    conditionOf(run.machine.status?.conditions, "Deleting")?.message.startsWith(message) === true;
  const notice: Notice = { type: "Warning", reason: event, message: `${about} "${nodeName(run)}": ${text}` };
  return {
    ...lasting(run, part, `${message}, ${text}`),
    events: [...run.events, ...(isReported ? [] : [notice])],
  };
}

/** The Event that says that a part was done, not skipped. */
export function completion(run: DrainRun, part: DrainPart): Notice {
  const [reason, text] =
    part === "drain"
      ? ["SuccessfulDrainNode", "success draining Machine's node"]
      : ["NodeVolumesDetached", "success waiting for node volumes detaching Machine's node"];
  return { type: "Normal", reason, message: `${text} "${nodeName(run)}"` };
}

/** Whether the drain has been done in an earlier run, and volumes are waited for. */
export function isBehindPods({ machine }: DrainRun): boolean {
  return conditionOf(machine.status?.conditions, "Deleting")?.reason === REASONS.volumes;
}

function nodeName({ machine }: DrainRun): string {
  return machine.status?.nodeRef?.name ?? "";
}

function withPart(run: DrainRun, part: DrainPart): DrainRun {
  return { ...run, begun: [...run.begun, part] };
}

/** A part that begins now is limited, too. */
function restMs({ machine, now }: DrainRun, part: DrainPart): number {
  return leftMs(machine, part, now, startOf(machine, part) ?? timestamp(now));
}
