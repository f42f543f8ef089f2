import type { Condition } from "../../../shared/api/conditions.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type {
  RecordedVerdict,
  RemediationEntry,
  RemediationPolicy,
} from "../../../shared/api/remediation-policy.ts";
import { compareText, conditionOf, timestamp } from "../../../shared/rules/conditions/conditions.ts";
import { isLeftAlone } from "../../../shared/rules/machines/left-alone.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";

const MAX_ENTRIES = 500;

/** The Machine of an entry. `gone`: the API server has said that none of its uid exists. `unknown`: it was not asked. */
export type Found = Machine | "gone" | "unknown";

/**
 * Returns an entry with its outcome, once it has one; the same object until then. An escalated one is under way until
 * its Machine is gone or healthy, since the owner acts on it.
 */
export function settled(entry: RemediationEntry, found: Found, now: Date): RemediationEntry {
  if (entry.endedAt !== undefined || found === "unknown") return entry;
  const endedAs = (outcome: RemediationEntry["outcome"], endedAt: string): RemediationEntry => ({
    ...entry,
    outcome: entry.outcome === "Escalated" && outcome === "Deleted" ? "Escalated" : outcome,
    endedAt,
  });
  if (found === "gone") return endedAs("Deleted", timestamp(now));
  const health = conditionOf(found.status?.conditions, "HealthCheckSucceeded");
  const owner = conditionOf(found.status?.conditions, "OwnerRemediated");
  const isWithOwner = owner?.status === "False";
  // Without owner the hand-over stays on the Machine for good, and nothing acts on it.
  const mayAct = isWithOwner && controllerOf(found) !== undefined;
  if (health?.status === "True" && !mayAct) return endedAs("Recovered", health.lastTransitionTime);
  // It was healthy in between. An owner that has not let go since then may still act.
  const isLeftOver = isWithOwner && isBefore(owner, health);
  if (health?.status === "False" && health.lastTransitionTime !== entry.failedAt && !isLeftOver) {
    return endedAs("Recovered", health.lastTransitionTime);
  }
  if (entry.by === "Owner" && isLeftAlone(found) && !isWithOwner) return endedAs("Withdrawn", timestamp(now));
  if (entry.by === "ExternalController" && isWithOwner && entry.outcome === undefined) {
    return { ...entry, outcome: "Escalated" };
  }
  return entry;
}

/**
 * Returns the entries of a policy that was moved here, with the uids that its Machines have here. A remediation that was
 * under way has ended: no condition of a Machine moves, so one that fails here gets a new entry.
 */
export function takenOver(
  { status }: RemediationPolicy,
  machines: readonly Machine[],
  now: Date,
): readonly RemediationEntry[] {
  const uids = new Map(machines.map(({ metadata }) => [metadata.name, metadata.uid]));
  return (status?.remediations ?? []).map((entry) => {
    const { name, uid } = entry.machine;
    const here = { ...entry, machine: { name, uid: uids.get(name) ?? uid } };
    if (entry.endedAt !== undefined) return here;
    return { ...here, outcome: entry.outcome ?? "Withdrawn", endedAt: timestamp(now) };
  });
}

function isBefore(a: Condition | undefined, b: Condition | undefined): boolean {
  return Date.parse(a?.lastTransitionTime ?? "") < Date.parse(b?.lastTransitionTime ?? "");
}

/** Returns the failed health checks that a policy keeps, the latest ones; `undefined`: none is new. */
export function recordedVerdicts(
  { spec, status }: RemediationPolicy,
  machines: readonly Machine[],
): readonly RecordedVerdict[] | undefined {
  const known = status?.verdicts ?? [];
  if (spec.history?.recordVerdicts !== true) return undefined;
  const seen = new Set(known.map(({ machine, failedAt }) => `${machine.uid} ${failedAt}`));
  const added = machines
    .flatMap(({ metadata, status: of }): readonly RecordedVerdict[] => {
      const health = conditionOf(of?.conditions, "HealthCheckSucceeded");
      if (health?.status !== "False") return [];
      const machine = { name: metadata.name, uid: metadata.uid ?? "" };
      return [{ machine, failedAt: health.lastTransitionTime, reason: health.reason }];
    })
    .filter(({ machine, failedAt }) => !seen.has(`${machine.uid} ${failedAt}`))
    .toSorted((a, b) => compareText(a.failedAt, b.failedAt) || compareText(a.machine.name, b.machine.name));
  const max = spec.history.maxEntries ?? MAX_ENTRIES;
  return added.length === 0 ? undefined : [...known, ...added].slice(-max);
}
