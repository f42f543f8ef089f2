import type { Event } from "../../../shared/api/core.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { actorText, requestActor } from "../../../shared/rules/machines/remediation-actor.ts";
import {
  FAILED_AT_ANNOTATION,
  FAILURE_ANNOTATION,
} from "../../../shared/rules/machines/remediation-events.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import { eventNameOf } from "../../../shared/runtime/write/send-events.ts";
import type { Recorded } from "./policy-history.ts";

/** The Event of a hand-over. */
export interface Mark {
  /** RFC 3339 */
  readonly at: string;
  /** The uid of the Machine. */
  readonly uid: string;
  /** `default/m1` */
  readonly machine: string;
  /** `default/h1` */
  readonly healthCheck: string;
  /** When and why the health check has failed; Events of Cluster API do not say it. */
  readonly failure: { readonly failedAt?: string; readonly reason?: string };
  readonly event: Event;
}

/** Events of other controllers with the same reason have the same words: Cluster API writes them, too. */
export function marksOf(events: readonly Event[]): readonly Mark[] {
  return events.flatMap((event) => {
    const { involvedObject, message, firstTimestamp, metadata } = event;
    const [, healthCheck] = / has been marked as unhealthy by (\S+)$/.exec(message) ?? [];
    const { kind, namespace = "", name, uid } = involvedObject;
    const at = firstTimestamp ?? metadata.creationTimestamp;
    if (kind !== "Machine" || healthCheck === undefined || uid === undefined || at === undefined) return [];
    const { [FAILED_AT_ANNOTATION]: failedAt = "", [FAILURE_ANNOTATION]: reason = "" } =
      metadata.annotations ?? {};
    const failure = { ...(failedAt === "" ? {} : { failedAt }), ...(reason === "" ? {} : { reason }) };
    return [{ at, uid, machine: `${namespace}/${name}`, healthCheck, failure, event }];
  });
}

/** Returns when Machines that were handed over have become healthy again, by uid, the first first; RFC 3339. */
export function recoveriesIn(events: readonly Event[]): ReadonlyMap<string, readonly string[]> {
  const times = events
    .flatMap(({ involvedObject, firstTimestamp, metadata }) => {
      const at = firstTimestamp ?? metadata.creationTimestamp;
      const { uid } = involvedObject;
      return uid === undefined || at === undefined ? [] : [{ uid, at }];
    })
    .toSorted((a, b) => compareText(a.at, b.at));
  const byUid = Map.groupBy(times, ({ uid }) => uid);
  return new Map([...byUid].map(([uid, those]) => [uid, those.map(({ at }) => at)]));
}

/** Whether it is the hand-over after this failure of its Machine: its name says so, whatever clock has stamped it. */
export function isAfter({ uid, event }: Mark, failedAt: string): boolean {
  const { involvedObject, reason, message, metadata } = event;
  return (
    metadata.name === eventNameOf({ name: involvedObject.name, uid }, { reason, message, occasion: failedAt })
  );
}

/**
 * Returns the Event of each remediation that a policy has in its history. Another health check than the one that has made
 * the entry may have used it: then it is the Event of that one.
 */
export function claimedMarks(
  recorded: readonly Recorded[],
  marks: readonly Mark[],
): ReadonlyMap<Recorded, Mark> {
  const byUid = Map.groupBy(marks, ({ uid }) => uid);
  const free = new Set(marks);
  const claimed = new Map<Recorded, Mark>();
  for (const entry of recorded) {
    const same = byUid
      .get(entry.machine.uid)
      ?.filter((mark) => free.has(mark) && isAfter(mark, entry.failedAt));
    const own = same?.find(({ healthCheck }) => healthCheck === `${entry.namespace}/${entry.healthCheck}`);
    const mark = own ?? same?.[0];
    if (mark === undefined) continue;
    free.delete(mark);
    claimed.set(entry, mark);
  }
  return claimed;
}

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
