import type { Event } from "../../../shared/api/core.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import { compareText, conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { actorText } from "../../../shared/rules/machines/remediation-actor.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import {
  actorOfEntry,
  actorOfMark,
  claimedMarks,
  isAfter,
  type Mark,
  marksOf,
  ownerOf,
  recoveriesIn,
} from "./marks.ts";
import { type Recorded, recordedIn, verdictsIn } from "./policy-history.ts";
import { mayBeCalm, type Wait, waitedFor, waitOf } from "./waits.ts";

/** One remediation, as far as the API server still knows it; times are RFC 3339. */
export interface Remediation {
  /** When it began; where it did not, when the health check failed. */
  readonly at: string;
  /** `default/h1`; absent: its Event is gone. */
  readonly healthCheck?: string;
  /** `default/m1` */
  readonly machine: string;
  /** The uid of the Machine: another one may get its name. */
  readonly uid: string;
  /** The reason of the failed health check, as far as it is known. */
  readonly reason?: string;
  /** When the health check failed; absent: not known. */
  readonly failedAt?: string;
  /** The limits that the remediation had to wait for since then, as far as Events still say it. */
  readonly waitedFor?: readonly string[];
  /** `MachineSet s1` or `SimRemediation m1`; absent: not known. */
  readonly actor?: string;
  /**
   * `open`: its owner or its request has not ended. `deleting`: the Machine goes. `replaced`: it is gone. `gone`: the same,
   * and nothing was there to replace it. `escalated`: a policy has given it to its owner. `withdrawn`: it was taken out of health checks before. `not started`: a policy
   * that records failed health checks has this one, and no remediation followed.
   */
  readonly outcome: Outcome;
  /** The end; absent where it is not over, or not known. */
  readonly endedAt?: string;
}

type Outcome =
  | "open"
  | "recovered"
  | "deleting"
  | "replaced"
  | "gone"
  | "escalated"
  | "withdrawn"
  | "not started";

/**
 * Objects that show remediations: Events last an hour on most servers, conditions as long as their Machines, histories
 * as long as their policy.
 */
export interface RemediationSources {
  /** Events of reason MachineMarkedUnhealthy. */
  readonly events: readonly Event[];
  /** Events of reason MachineRecovered. */
  readonly recoveries: readonly Event[];
  /** Events of the reasons for which remediation waits. */
  readonly waits: readonly Event[];
  readonly machines: readonly Machine[];
  readonly checks: readonly MachineHealthCheck[];
  readonly policies: readonly RemediationPolicy[];
}

/**
 * Returns the remediations, the newest first, each once: those in the histories of policies, those of which only an Event
 * is left, those that only conditions show, and failures that a policy has recorded and no remediation followed.
 */
export function remediationsOf(sources: RemediationSources): readonly Remediation[] {
  const known = knownFrom(sources);
  const recorded = recordedIn(sources.policies);
  const marks = marksOf(sources.events);
  const claimed = claimedMarks(recorded, marks);
  const taken = new Set(claimed.values());
  const free = marks.filter((mark) => !taken.has(mark));
  const newest = newestOf([...recorded.map(beginOf), ...free]);
  const reported = [
    ...recorded.map((entry) => ofEntry(entry, claimed.get(entry), known)),
    ...free.map((mark) => ofMark(mark, mark.at < (newest.get(checkedId(mark)) ?? ""), known)),
  ];
  const reportedOf = Map.groupBy(reported, ({ uid }) => uid);
  const shown = [
    ...reported,
    ...sources.machines.flatMap((machine) =>
      withoutEvent(machine, reportedOf.get(machine.metadata.uid ?? "") ?? []),
    ),
  ];
  return [...shown, ...notStarted(sources, shown, marks)].toSorted((a, b) => compareText(b.at, a.at));
}

interface Known {
  readonly machines: ReadonlyMap<string, Machine>;
  readonly checks: ReadonlyMap<string, MachineHealthCheck>;
  /** `MachineSet s1`, by uid, as far as it has Machines. */
  readonly owners: ReadonlyMap<string, string>;
  readonly waits: readonly Wait[];
  readonly recoveries: ReturnType<typeof recoveriesIn>;
}

function knownFrom({ machines, checks, waits, recoveries }: RemediationSources): Known {
  const owners = machines.flatMap((machine) => controllerOf(machine) ?? []);
  return {
    machines: new Map(machines.map((machine) => [machine.metadata.uid ?? "", machine])),
    checks: new Map(checks.map((check) => [nameOf(check), check])),
    owners: new Map(owners.map((owner) => [owner.uid, actorText(owner)])),
    waits: waits.flatMap(waitOf),
    recoveries: recoveriesIn(recoveries),
  };
}

type Begin = Pick<Mark, "uid" | "healthCheck" | "at">;

function beginOf({ machine: { uid }, namespace, healthCheck, startedAt }: Recorded): Begin {
  return { uid, healthCheck: `${namespace}/${healthCheck}`, at: startedAt };
}

function checkedId({ uid, healthCheck }: Begin): string {
  return `${uid} ${healthCheck}`;
}

/** Returns when each health check has last begun to remediate each Machine: it does so again after a recovery only. */
function newestOf(begins: readonly Begin[]): ReadonlyMap<string, string> {
  const ordered = begins.toSorted((a, b) => compareText(a.at, b.at));
  return new Map(ordered.map((begin) => [checkedId(begin), begin.at]));
}

/** Returns a remediation as a policy has written it; `mark`: the Event of the same remediation, which knows who has used the entry. */
function ofEntry(entry: Recorded, mark: Mark | undefined, known: Known): Remediation {
  const { machine: of, namespace, reason, failedAt, startedAt: at } = entry;
  const healthCheck = mark?.healthCheck ?? `${namespace}/${entry.healthCheck}`;
  const machine = known.machines.get(of.uid);
  const check = known.checks.get(healthCheck);
  const actor = actorOfEntry(entry, mark, { ...known, check, machine });
  const waited = waitedFor(known.waits, { healthCheck, machine: of.name, failedAt, at });
  return {
    at,
    healthCheck,
    machine: `${namespace}/${of.name}`,
    uid: of.uid,
    ...(actor === undefined ? {} : { actor }),
    ...endOf(entry, machine),
    reason,
    failedAt,
    // A health check with a policy waits for calm each time.
    ...(waited.length > 0
      ? { waitedFor: waited }
      : mayBeCalm({ failedAt, at })
        ? { waitedFor: ["calm"] }
        : {}),
  };
}

const OUTCOMES = {
  Recovered: "recovered",
  Escalated: "escalated",
  Withdrawn: "withdrawn",
} as const;

function endOf(entry: Recorded, machine: Machine | undefined) {
  const { outcome, endedAt, by, controller } = entry;
  const end = endedAt === undefined ? {} : { endedAt };
  if (outcome !== undefined && outcome !== "Deleted") return { outcome: OUTCOMES[outcome], ...end };
  if (outcome === undefined && machine !== undefined) return stateOf(machine);
  return { outcome: goneBy(by === "Owner" ? controller : by), ...end };
}

/** A Machine that nothing controls, and for which no request was made, was deleted by a person. */
function goneBy(actor: string | undefined): "replaced" | "gone" {
  return actor === undefined ? "gone" : "replaced";
}

/** Returns a remediation as its Event shows it; `isFormer`: the same health check has remediated the Machine again. */
function ofMark(mark: Mark, isFormer: boolean, known: Known): Remediation {
  const { at, healthCheck, machine: name, uid } = mark;
  const machine = known.machines.get(uid);
  const recoveredAt = known.recoveries.get(uid)?.find((time) => time >= at);
  const actor = actorOfMark(mark, { ...known, check: known.checks.get(healthCheck), machine });
  const failure = failureOf(machine);
  const isLater =
    failure !== undefined && failure.lastTransitionTime > at && !isAfter(mark, failure.lastTransitionTime);
  const failedAt = mark.failure.failedAt ?? (isLater || isFormer ? undefined : failure?.lastTransitionTime);
  const common = {
    ...{ at, healthCheck, machine: name, uid, ...mark.failure },
    ...(actor === undefined ? {} : { actor }),
    ...(failedAt === undefined ? {} : sinceFailure({ mark, failedAt }, known)),
  };
  if (recoveredAt !== undefined) return { ...common, ...RECOVERED, endedAt: recoveredAt };
  if (machine === undefined) return { ...common, outcome: isFormer ? "recovered" : goneBy(actor) };
  // It has failed again since.
  return { ...common, ...(isFormer || isLater ? RECOVERED : stateOf(machine)) };
}

function sinceFailure(
  { mark, failedAt }: { readonly mark: Mark; readonly failedAt: string },
  { waits }: Known,
) {
  const { healthCheck, at, machine } = mark;
  const [, name = ""] = machine.split("/");
  const waited = waitedFor(waits, { healthCheck, machine: name, failedAt, at });
  return { failedAt, ...(waited.length === 0 ? {} : { waitedFor: waited }) };
}

const RECOVERED = { outcome: "recovered" } as const;

function failureOf(machine: Machine | undefined) {
  const health = conditionOf(machine?.status?.conditions, "HealthCheckSucceeded");
  return health?.status === "False" ? health : undefined;
}

/** Returns how a remediation stands whose Machine exists. */
function stateOf(machine: Machine): Pick<Remediation, "outcome" | "reason" | "endedAt"> {
  const health = conditionOf(machine.status?.conditions, "HealthCheckSucceeded");
  const why = health?.status === "False" ? { reason: health.reason } : {};
  if (machine.metadata.deletionTimestamp !== undefined) return { ...why, outcome: "deleting" };
  if (health?.status === "True") return { ...RECOVERED, endedAt: health.lastTransitionTime };
  return { ...why, outcome: "open" };
}

/** A Machine that was handed over, where neither an Event nor a policy has it. */
function withoutEvent(machine: Machine, reported: readonly Remediation[]): readonly Remediation[] {
  const { conditions } = machine.status ?? {};
  const owner = conditionOf(conditions, "OwnerRemediated");
  const outside = conditionOf(conditions, "ExternallyRemediated");
  const [mark] = [owner, outside].filter((one) => one?.status === "False");
  if (mark === undefined) return [];
  const at = mark.lastTransitionTime;
  if (reported.some(({ endedAt }) => endedAt === undefined || endedAt >= at)) return [];
  const actor = mark === owner ? ownerOf(machine) : undefined;
  const failedAt = failureOf(machine)?.lastTransitionTime;
  return [
    {
      at,
      machine: nameOf(machine),
      uid: machine.metadata.uid ?? "",
      ...(actor === undefined ? {} : { actor }),
      ...(failedAt === undefined ? {} : { failedAt }),
      ...stateOf(machine),
    },
  ];
}

/** Failures that policies have recorded, as long as no remediation is known that came after one. */
function notStarted(
  { policies }: RemediationSources,
  shown: readonly Remediation[],
  marks: readonly Mark[],
): readonly Remediation[] {
  const rows = Map.groupBy(shown, ({ uid }) => uid);
  const events = Map.groupBy(marks, ({ uid }) => uid);
  return verdictsIn(policies).flatMap(({ namespace, machine: { name, uid }, failedAt, reason }) => {
    const isStarted =
      rows.get(uid)?.some((row) => row.failedAt === failedAt) === true ||
      events.get(uid)?.some((mark) => isAfter(mark, failedAt)) === true;
    if (isStarted) return [];
    return [
      {
        at: failedAt,
        machine: `${namespace}/${name}`,
        uid,
        reason,
        failedAt,
        outcome: "not started" as const,
      },
    ];
  });
}

function nameOf({ metadata }: Machine | MachineHealthCheck): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
