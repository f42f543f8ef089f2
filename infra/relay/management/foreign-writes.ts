import { WATCH_FILTER_LABEL } from "../../../shared/api/indexes.ts";
import type { KubeObject, ObjectMeta } from "../../../shared/api/kinds.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { FOREIGN_TIMES, FOREIGN_WITHIN_MS } from "../../../shared/runtime/write/foreign-controller.ts";
import { type FieldOwner, fieldOwners } from "../../platform/kube/take-over.ts";

type ForeignController = NonNullable<ObjectMeta["foreign"]>;

/** Notices that another controller changes fields of Capstan, again and again. */
interface ForeignWrites {
  /** Looks at the next version of an object, with its managedFields. Returns the controller once it is known. */
  note(object: KubeObject): ForeignController | undefined;
}

/** Objects that were seen last; takes about 200 MB when all of them have a hundred fields. */
const MAX_OBJECTS = 20_000;

interface Seen {
  readonly ours: ReadonlySet<string>;
  readonly theirs: ReadonlyMap<string, string>;
  /** When fields were taken, in ms since 1970, the newest last. */
  readonly takenAt: readonly number[];
  readonly manager: string;
}

/**
 * Both controllers may write a status: each computes it from what it sees. Spec, finalizers and owner references are the
 * work itself.
 */
const WORK = /^(spec|metadata\.(finalizers|ownerReferences))\b/;

/** Looks at objects whose label `cluster.x-k8s.io/watch-filter` has this value: the others belong to other controllers. */
export function createForeignWrites(clock: Clock, filter: string): ForeignWrites {
  const seen = new Map<string, Seen>();
  return {
    note(object) {
      const { uid = "", labels } = object.metadata;
      if (labels?.[WATCH_FILTER_LABEL] !== filter) {
        seen.delete(uid);
        return undefined;
      }
      const before = seen.get(uid);
      const now = next(before, workOf(object), clock.now().getTime());
      seen.delete(uid);
      seen.set(uid, now);
      const [oldest] = seen.size > MAX_OBJECTS ? seen.keys() : [];
      if (oldest !== undefined) seen.delete(oldest);
      const last = now.takenAt.at(-1);
      if (now.takenAt.length < FOREIGN_TIMES || last === undefined) return undefined;
      return { manager: now.manager, until: new Date(last + FOREIGN_WITHIN_MS).toISOString() };
    },
  };
}

/** The managers of the fields that count. */
function workOf({ metadata }: KubeObject): readonly FieldOwner[] {
  const managed: unknown = Reflect.get(metadata, "managedFields");
  return fieldOwners(Array.isArray(managed) ? managed : []).filter(({ field }) => WORK.test(field));
}

/** A field is taken when a manager of Capstan loses it to one that has just got it: its value was changed. */
function next(before: Seen | undefined, owners: readonly FieldOwner[], now: number): Seen {
  const isOurs = ({ manager }: FieldOwner) => manager.startsWith("capstan-");
  const ours = new Set(owners.filter(isOurs).map(({ field }) => field));
  const foreign = owners.filter((owner) => !isOurs(owner));
  const theirs = new Map(foreign.map(({ field, manager }) => [field, manager]));
  const recent = (before?.takenAt ?? []).filter((at) => now - at < FOREIGN_WITHIN_MS);
  const taken = [...(before?.ours ?? [])].find(
    (field) => !ours.has(field) && theirs.has(field) && before?.theirs.get(field) !== theirs.get(field),
  );
  if (taken === undefined) return { ours, theirs, takenAt: recent, manager: before?.manager ?? "" };
  return { ours, theirs, takenAt: [...recent, now].slice(-FOREIGN_TIMES), manager: theirs.get(taken) ?? "" };
}
