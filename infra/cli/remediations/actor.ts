import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { actorText, requestActor } from "../../../shared/rules/machines/remediation-actor.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import type { Mark } from "./marks.ts";
import type { Recorded } from "./policy-history.ts";

/** Objects that exist now. */
interface Present {
  readonly check: MachineHealthCheck | undefined;
  readonly machine: Machine | undefined;
  /** `MachineSet s1`, by uid, as far as it has Machines. */
  readonly owners: ReadonlyMap<string, string>;
}

/**
 * Returns what has acted, such as `MachineSet s1`: as its Event has it, else as the history has it, since the health check
 * may have got another template. Where both are of an earlier version the present objects are the nearest.
 */
export function actorOfEntry(
  entry: Recorded,
  mark: Mark | undefined,
  { check, owners }: Present,
): string | undefined {
  const known = namedBy(mark) ?? entry.actor;
  if (known !== undefined) return known;
  if (entry.by === "Owner") return owners.get(entry.controller ?? "");
  return requestIn(check, entry.machine.name) ?? "external controller";
}

/** Names the actor as of an entry where only an Event is left; Events of Cluster API do not say it. */
export function actorOfMark(mark: Mark, { check, machine }: Present): string | undefined {
  const [, name = ""] = mark.machine.split("/");
  return namedBy(mark) ?? requestIn(check, name) ?? (machine && ownerOf(machine));
}

/** Returns `MachineSet s1` */
export function ownerOf(machine: Machine): string | undefined {
  const owner = controllerOf(machine);
  return owner && actorText(owner);
}

function namedBy(mark: Mark | undefined): string | undefined {
  const { kind, name } = mark?.event.related ?? {};
  return kind === undefined || name === undefined ? undefined : actorText({ kind, name });
}

function requestIn(check: MachineHealthCheck | undefined, machine: string): string | undefined {
  const request = check && requestActor(check, machine);
  return request && actorText(request);
}
