import type { Event } from "../../../shared/api/core.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";

/** One remediation, as far as the API server still knows it; times are RFC 3339. */
export interface Remediation {
  readonly at: string;
  /** `default/h1`; absent: its Event is gone. */
  readonly healthCheck?: string;
  /** `default/m1` */
  readonly machine: string;
  /** Of the health check, while the Machine is unhealthy. */
  readonly reason?: string;
  /** `MachineSet s1` or `SimRemediation m1`; absent: not known. */
  readonly actor?: string;
  /** `replaced`: the Machine is gone. `open`: its owner or its request has not ended. */
  readonly outcome: "open" | "recovered" | "deleting" | "replaced";
  /** Absent: not over, or not known. */
  readonly endedAt?: string;
}

/** Objects that show remediations: Events last an hour on most servers, conditions as long as their Machines. */
export interface RemediationSources {
  /** Of reason MachineMarkedUnhealthy. */
  readonly events: readonly Event[];
  readonly machines: readonly Machine[];
  readonly checks: readonly MachineHealthCheck[];
}

/** Returns the remediations, the newest first: one per Event, and those of Machines whose Event is gone. */
export function remediationsOf(sources: RemediationSources): readonly Remediation[] {
  const byUid = new Map(sources.machines.map((machine) => [machine.metadata.uid, machine]));
  const checks = new Map(sources.checks.map((check) => [nameOf(check), check]));
  const marks = sources.events.flatMap(markOf).toSorted((a, b) => (a.at < b.at ? 1 : -1));
  const newer = new Set<string>();
  const told = marks.map((mark) => {
    const id = `${mark.uid} ${mark.healthCheck}`;
    const isOver = newer.has(id);
    newer.add(id);
    return ofMark(mark, { machine: byUid.get(mark.uid), check: checks.get(mark.healthCheck), isOver });
  });
  const known = new Set(marks.map(({ uid }) => uid));
  const others = sources.machines
    .filter(({ metadata }) => !known.has(metadata.uid ?? ""))
    .flatMap(withoutEvent);
  return [...told, ...others].toSorted((a, b) => (a.at < b.at ? 1 : -1));
}

/** The Event of a hand-over. */
interface Mark {
  readonly at: string;
  readonly uid: string;
  readonly machine: string;
  readonly healthCheck: string;
}

/** Events of other controllers with the same reason have the same words: Cluster API writes them, too. */
function markOf({ involvedObject, message, firstTimestamp, metadata }: Event): readonly Mark[] {
  const [, healthCheck] = / has been marked as unhealthy by (\S+)$/.exec(message) ?? [];
  const { kind, namespace = "", name, uid } = involvedObject;
  const at = firstTimestamp ?? metadata.creationTimestamp;
  if (kind !== "Machine" || healthCheck === undefined || uid === undefined || at === undefined) return [];
  return [{ at, uid, machine: `${namespace}/${name}`, healthCheck }];
}

interface Surroundings {
  /** Absent: it is gone. */
  readonly machine: Machine | undefined;
  readonly check: MachineHealthCheck | undefined;
  /** The same health check has marked the Machine again, which it does after a recovery only. */
  readonly isOver: boolean;
}

function ofMark({ at, healthCheck, machine: name, uid: _ }: Mark, around: Surroundings): Remediation {
  const { machine, check, isOver } = around;
  const actor = actorOf(machine, check, name);
  const common = { at, healthCheck, machine: name, ...(actor === undefined ? {} : { actor }) };
  if (isOver) return { ...common, outcome: "recovered" };
  if (machine === undefined) return { ...common, outcome: "replaced" };
  return { ...common, ...outcomeOf(machine) };
}

function outcomeOf({ metadata, status }: Machine): Pick<Remediation, "outcome" | "reason" | "endedAt"> {
  const health = conditionOf(status?.conditions, "HealthCheckSucceeded");
  const why = health?.status === "False" ? { reason: health.reason } : {};
  if (metadata.deletionTimestamp !== undefined) return { ...why, outcome: "deleting" };
  if (health?.status === "True") return { outcome: "recovered", endedAt: health.lastTransitionTime };
  return { ...why, outcome: "open" };
}

/** With a template its kind of request acts, else the controller of the Machine. */
function actorOf(
  machine: Machine | undefined,
  check: MachineHealthCheck | undefined,
  name: string,
): string | undefined {
  const template = check?.spec.remediation?.templateRef;
  if (template !== undefined) return `${template.kind.replace(/Template$/, "")} ${name.split("/")[1]}`;
  const owner = machine === undefined ? undefined : controllerOf(machine);
  return owner === undefined ? undefined : `${owner.kind} ${owner.name}`;
}

/** A Machine that was handed over, and whose Event the server has forgotten. */
function withoutEvent(machine: Machine): readonly Remediation[] {
  const { conditions } = machine.status ?? {};
  const owner = conditionOf(conditions, "OwnerRemediated");
  const outside = conditionOf(conditions, "ExternallyRemediated");
  const [mark] = [owner, outside].filter((one) => one?.status === "False");
  if (mark === undefined) return [];
  const actor = mark === owner ? actorOf(machine, undefined, "") : undefined;
  return [
    {
      at: mark.lastTransitionTime,
      machine: nameOf(machine),
      ...(actor === undefined ? {} : { actor }),
      ...outcomeOf(machine),
    },
  ];
}

function nameOf({ metadata }: Machine | MachineHealthCheck): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
