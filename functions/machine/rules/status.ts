import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Machine, MachineStatus } from "../../../shared/api/machine/machine.ts";
import { MINUTE } from "../../../shared/function/backoff.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { done, type Result, requeueAfter, soonest, waitFor } from "../../../shared/function/result.ts";
import { setConditions, timestamp } from "../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../shared/rules/conditions/paused-condition.ts";
import { applyOwnPart } from "../../../shared/rules/status/own-part.ts";
import { FLOORS } from "../../../shared/rules/status/pace.ts";
import { present } from "../../../shared/rules/status/present.ts";
import type { StatusReport } from "../../../shared/rules/status/report.ts";
import { awaitedCompletion } from "./completion.ts";
import { availableInMs, machineConditions, turnsOf } from "./conditions.ts";
import { machineDeprecatedConditions } from "./deprecated-conditions.ts";
import { isWordOfDrain } from "./drain-turn.ts";
import { machineFailure } from "./failures.ts";
import { machineNotices } from "./notices.ts";
import { ownStatus, type Turns } from "./own-status.ts";
import { machinePhase } from "./phase.ts";
import { lateInMs } from "./ready.ts";
import { rolloutInMs } from "./up-to-date.ts";
import type { MachineView } from "./view.ts";

/** Returns what is said about a Machine that is not paused, whether it lives or is being deleted. */
function machineReport(view: MachineView): StatusReport<MachineStatus> {
  const status = machineStatus(view);
  const awaited = awaitedCompletion(view, status);
  return {
    status,
    events: machineNotices(view),
    result: [awaited === undefined ? done : waitFor(awaited), ...clocks(view, status)].reduce(soonest),
  };
}

/** Returns the requeues at which the clock alone changes the status. */
function clocks(view: MachineView, { conditions }: MachineStatus): readonly Result[] {
  const { machine, nodeReport, namers, rollout, now } = view;
  const at = (inMs: number | undefined, why: string) =>
    inMs === undefined || inMs <= 0 ? done : requeueAfter(inMs, why);
  return [
    at(availableInMs(machine, conditions, now), "minReadySeconds of the Machine"),
    at((namers ?? []).length > 0 ? MINUTE : undefined, "another Machine names the Node"),
    at(nodeReport.expiresInMs, "grace period of the workload connection"),
    at(rollout && rolloutInMs(rollout, now), "spec.rollout.after of the MachineDeployment"),
    at(isDeleting(machine) ? lateInMs(machine, now) : undefined, "a deletion that takes long"),
  ];
}

/**
 * Returns the complete status: latches, `nodeRef`, failures and start times are carried on, and so is what its source
 * no longer reports.
 */
export function machineStatus(view: MachineView): MachineStatus {
  const { machine, providers, infrastructure, nodeReport, certificates, now } = view;
  const { status: previous } = machine;
  const known: MachineStatus = {
    ...present("initialization", initialization(view)),
    ...present("nodeRef", nodeReport.nodeRef),
    ...present("nodeInfo", nodeReport.nodeInfo),
    ...present("failureDomain", infrastructure.failureDomain ?? previous?.failureDomain),
    ...present("addresses", infrastructure.addresses ?? previous?.addresses),
    ...present("certificatesExpiryDate", certificates.expiryDate),
    ...present("deletion", hookStarts(view)),
    deprecated: {
      v1beta1: { ...machineFailure(machine, providers), conditions: machineDeprecatedConditions(view) },
    },
    conditions: machineConditions(view),
  };
  const phase = machinePhase(machine, known);
  const lastUpdated = previous?.phase === phase ? previous?.lastUpdated : undefined;
  return {
    ...known,
    ...present("phase", phase),
    lastUpdated: lastUpdated ?? timestamp(now),
    ...present("observedGeneration", observedGeneration(view)),
  };
}

/** Returns everything as it was, but for `Paused`. */
function pausedMachineStatus(machine: Machine, cluster: Cluster, turns: Turns, now: Date): MachineStatus {
  const own = ownStatus(machine.status, turns);
  const paused = pausedCondition(cluster, machine, machine.kind);
  return { ...own, conditions: setConditions(own.conditions, [paused], now, machine.metadata.generation) };
}

/** Returns `undefined` rather than an empty object, and never a latch that is not set. */
function initialization({ dataCreated, provisioned }: MachineView): MachineStatus["initialization"] {
  if (!dataCreated && !provisioned) return undefined;
  return {
    ...(provisioned ? { infrastructureProvisioned: true } : {}),
    ...(dataCreated ? { bootstrapDataSecretCreated: true } : {}),
  };
}

/** Returns the start times of hooks: set once, never moved. Those of the drain are its own. */
function hookStarts({ machine, stage, now }: MachineView): MachineStatus["deletion"] {
  const stored = machine.status?.deletion;
  const starts = stage?.starts === undefined ? {} : { [stage.starts]: timestamp(now) };
  const all = {
    ...starts,
    ...present("waitForPreDrainHookStartTime", stored?.waitForPreDrainHookStartTime),
    ...present("waitForPreTerminateHookStartTime", stored?.waitForPreTerminateHookStartTime),
  };
  return Object.keys(all).length === 0 ? undefined : all;
}

/** Moves when no write to the spec is outstanding, and in a deletion, which writes none; absent, never 0. */
function observedGeneration({ machine, settled }: MachineView): number | undefined {
  return settled || isDeleting(machine) ? machine.metadata.generation : machine.status?.observedGeneration;
}

/** Returns the decision about a Machine that is not paused: its report, without the part that others write. */
export function writtenReport(view: MachineView) {
  const { machine, now } = view;
  const { status, events, result } = machineReport(view);
  return {
    ...applyOwnPart(machine.status, ownStatus(machine.status, turnsOf(view)), status),
    events,
    ...(isDeleting(machine) ? { notBeforeMs: FLOORS.deletedMachine(machine, now) } : {}),
    result,
  };
}

/** Returns the same about one that is paused. */
export function writtenPause(machine: Machine, cluster: Cluster, now: Date) {
  const turns = turnsOf({ machine, drainSpeaks: isWordOfDrain(machine) });
  const status = pausedMachineStatus(machine, cluster, turns, now);
  return applyOwnPart(machine.status, ownStatus(machine.status, turns), status);
}
