import type { Machine } from "../../api/machine/machine.ts";
import type { RemediationEntry, RemediationPolicy } from "../../api/remediation-policy.ts";
import { SECOND } from "../../function/backoff.ts";
import { isDeleting } from "../../function/guards.ts";
import { conditionOf } from "../conditions/conditions.ts";
import { controllerOf } from "../metadata/owner-references.ts";
import { isControlPlaneMachine } from "./control-plane-machine.ts";
import { actorText } from "./remediation-actor.ts";

/** Entries of a policy that names no number. */
const MAX_ENTRIES = 500;

/** Why a policy lets a Machine wait. */
export interface Refusal {
  readonly text: string;
  /** When time alone ends it, in ms since 1970; absent: something else has to change. */
  readonly untilMs?: number;
}

/** One policy with its history, as far as it is decided, and a Machine that asks for an entry. */
export interface Request {
  readonly policy: RemediationPolicy;
  /** The history, with the entries of this run. */
  readonly entries: readonly RemediationEntry[];
  readonly machine: Machine;
  /** All control plane Machines of its Cluster, read live. */
  readonly controlPlane: readonly Machine[];
  readonly now: Date;
}

/**
 * Returns why a policy refuses another remediation; `undefined`: it allows it. A remediation counts from its entry, used
 * or not: an entry that was never used is one remediation fewer.
 */
export function refusalOf(request: Request): Refusal | undefined {
  const refusals = [moved, full, pacing, cooldown, ...retries, quorum];
  for (const ask of refusals) {
    const refusal = ask(request);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/**
 * Returns the entries that are kept when another one follows: the oldest that have ended go, as soon as no limit looks
 * at them.
 */
export function keptEntries(
  { spec }: RemediationPolicy,
  entries: readonly RemediationEntry[],
  now: Date,
): readonly RemediationEntry[] {
  let surplus = entries.length + 1 - maxEntriesOf(spec);
  const seconds = [spec.pacing?.windowSeconds, spec.retries?.windowSeconds, spec.cooldownSeconds];
  const sinceMs = now.getTime() - Math.max(0, ...seconds.map((value) => value ?? 0)) * SECOND;
  return entries.filter(({ startedAt, endedAt }) => {
    const isOver =
      endedAt !== undefined && Date.parse(endedAt) <= sinceMs && Date.parse(startedAt) <= sinceMs;
    if (surplus <= 0 || !isOver) return true;
    surplus -= 1;
    return false;
  });
}

/** Its entries name Machines of another management cluster: the history has to find them again before it counts. */
export function isMoved({ metadata, status }: RemediationPolicy): boolean {
  return status?.policyUID !== undefined && status.policyUID !== metadata.uid;
}

function moved({ policy }: Request): Refusal | undefined {
  return isMoved(policy) ? { text: "its history, which was moved here, is not taken over yet" } : undefined;
}

function maxEntriesOf({ history }: RemediationPolicy["spec"]): number {
  return history?.maxEntries ?? MAX_ENTRIES;
}

function full({ policy, entries, now }: Request): Refusal | undefined {
  const max = maxEntriesOf(policy.spec);
  if (keptEntries(policy, entries, now).length < max) return undefined;
  return {
    text: `its history is full: ${max} entries, none of which may go yet; raise spec.history.maxEntries`,
  };
}

/** Returns when fewer than `limit` of these entries are in the window, ms since 1970; `undefined`: it is so now. */
function freeAtMs(
  entries: readonly RemediationEntry[],
  limit: number,
  windowSeconds: number,
  now: Date,
): number | undefined {
  const starts = entries
    .map(({ startedAt }) => Date.parse(startedAt) + windowSeconds * SECOND)
    .filter((endsMs) => endsMs > now.getTime())
    .toSorted((a, b) => a - b);
  if (starts.length < limit) return undefined;
  return limit === 0 ? Number.POSITIVE_INFINITY : starts[starts.length - limit];
}

function refusal(text: string, untilMs: number | undefined): Refusal | undefined {
  if (untilMs === undefined) return undefined;
  return Number.isFinite(untilMs) ? { text, untilMs } : { text };
}

function pacing({ policy: { spec }, entries, now }: Request): Refusal | undefined {
  if (spec.pacing === undefined) return undefined;
  const { maxRemediations, windowSeconds } = spec.pacing;
  const text = `${maxRemediations} remediations have begun within ${windowSeconds} s (spec.pacing)`;
  return refusal(text, freeAtMs(entries, maxRemediations, windowSeconds, now));
}

function cooldown({ policy: { spec }, entries, machine, now }: Request): Refusal | undefined {
  const { cooldownSeconds = 0 } = spec;
  const ends = entries
    .filter((entry) => entry.machine.uid === machine.metadata.uid && entry.endedAt !== undefined)
    .map(({ endedAt = "" }) => Date.parse(endedAt) + cooldownSeconds * SECOND)
    .filter((endsMs) => endsMs > now.getTime());
  if (ends.length === 0) return undefined;
  return {
    text: `its last remediation ended less than ${cooldownSeconds} s ago (spec.cooldownSeconds)`,
    untilMs: Math.max(...ends),
  };
}

/** The limits of retries per Machine, then per controller. */
const retries = (["perMachine", "perController"] as const).map(
  (field) =>
    ({ policy: { spec }, entries, machine, now }: Request): Refusal | undefined => {
      const limit = spec.retries?.[field];
      if (spec.retries === undefined || limit === undefined) return undefined;
      const { windowSeconds } = spec.retries;
      const owner = controllerOf(machine);
      if (field === "perController" && owner === undefined) return undefined;
      // Earlier versions wrote the uid, which a move changes.
      const controllers = owner && [actorText(owner), owner.uid];
      const own = entries.filter((entry) =>
        field === "perMachine"
          ? entry.machine.uid === machine.metadata.uid
          : controllers?.includes(entry.controller ?? ""),
      );
      const text = `${limit} remediations ${field === "perMachine" ? "of it" : "of Machines of its owner"} have begun within ${windowSeconds} s (spec.retries.${field})`;
      return refusal(text, freeAtMs(own, limit, windowSeconds, now));
    },
);

/** Most of the others must be healthy, and none of them under way. */
function quorum({ policy: { spec }, entries, machine, controlPlane }: Request): Refusal | undefined {
  if (spec.controlPlaneQuorum !== true || !isControlPlaneMachine(machine)) return undefined;
  const other = entries.find(
    (entry) =>
      entry.controlPlane === true &&
      entry.endedAt === undefined &&
      entry.machine.uid !== machine.metadata.uid,
  );
  if (other !== undefined) {
    return {
      text: `control plane Machine ${other.machine.name} is being remediated (spec.controlPlaneQuorum)`,
    };
  }
  const needed = Math.floor(controlPlane.length / 2) + 1;
  const healthy = controlPlane.filter(
    (one) => one.metadata.uid !== machine.metadata.uid && !isDeleting(one) && isHealthy(one),
  ).length;
  if (healthy >= needed) return undefined;
  return {
    text: `${healthy} of ${controlPlane.length} control plane Machines would be healthy, and ${needed} must be (spec.controlPlaneQuorum)`,
  };
}

function isHealthy({ status }: Machine): boolean {
  const statusOf = (type: string) => conditionOf(status?.conditions, type)?.status;
  return statusOf("Ready") === "True" && statusOf("HealthCheckSucceeded") !== "False";
}
