import type { Member } from "../api/indexes.ts";
import type { ContractReference, Kind, KubeObject, ObjectKey, ObjectRef } from "../api/kinds.ts";
import type { PatchOperation } from "../api/patch.ts";
import type { At, FieldPath } from "../api/path.ts";
import type { ContractKind } from "../contract/contract-kind.ts";
import type { QueueSettings } from "./backoff.ts";
import type { EvictionAnswer, PodEviction } from "./evictions.ts";
import type { HealthReport } from "./health-report.ts";
import type { Issue } from "./issue.ts";
import type { Delivery, DeliveryAnswer } from "./manifests.ts";
import type { Reader } from "./reads.ts";
import type { Result } from "./result.ts";

/** Index lookups in the read model of the management cluster (Nodes: of their workload cluster). */
export interface Lookup {
  find(kind: Kind, index: string, value: string): Promise<readonly Member[]>;
  /** A stored object; `undefined` when it is not stored. */
  get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): Promise<T | undefined>;
}

/** An object as an event saw it. `cluster` is where it lives. */
interface Seen {
  readonly object: KubeObject;
  readonly cluster: string;
}

/** Keys of the reconciled kind that a change of `seen` concerns. */
export type ToKeys = (seen: Seen, reconciled: Kind, lookup: Lookup) => Promise<readonly Member[]>;

/** Enqueues a function after a change of one of `fields` of an object of `kind`. */
export interface Watch {
  readonly on: Kind | ContractKind;
  readonly fields: readonly string[];
  readonly toKeys: ToKeys;
  /** The state as of the function: objects in the other state are not woken by this watch. */
  readonly actsOn?: State;
}

/** The state of a reconciled object: with or without `deletionTimestamp`. */
type State = "living" | "deleting";

/** `fields` are checked against the kind. `metadata.uid` in `fields` means: appears, disappears or is recreated. */
export function watch<T extends KubeObject, const F extends readonly string[]>(
  on: Kind<T>,
  fields: F & { readonly [I in keyof F]: FieldPath<T, F[I]> },
  toKeys: ToKeys,
): Watch {
  // The one cast where heterogeneous kinds enter a list: a Watch only carries the kind's name.
  return { on: on as unknown as Kind, fields, toKeys };
}

/** Watches provider objects; their fields have no compiled type (shared/contract has the paths). */
export function watchContract(on: ContractKind, fields: readonly string[], toKeys: ToKeys): Watch {
  return { on, fields, toKeys };
}

/** The same watch, which wakes no object that is being deleted: what follows from it no longer matters then. */
export function whileLiving(watching: Watch): Watch {
  return { ...watching, actsOn: "living" };
}

/** An object to create: deterministic name, owner reference included. Never overwrites an existing one. */
export interface NewObject {
  readonly cluster: string;
  readonly kind: Kind;
  readonly object: KubeObject;
  /**
   * The effect of a failure, as of a delete: the other writes are sent all the same, and the Event has the words of the
   * server. It is about `about`, or about the reconciled object.
   */
  readonly ifFails?: IfFails & { readonly about?: KubeObject };
  /**
   * Sent with the patches when the server has refused an object that may fail: only this run knows of it. Not when an
   * object of that name exists, and not without an answer.
   */
  readonly ifRefused?: GuardedPatch;
  /** Sent once the server has accepted the object. */
  readonly announces?: Notice;
  /** Made once the server has accepted the object, which they name as an owner without a uid: with that which it has got. */
  readonly dependents?: readonly NewObject[];
}

/** A write that may fail: the reason of the Warning Event about it, and when the key comes back. */
interface IfFails {
  readonly event: string;
  readonly againAfterMs?: number;
  /** Opens the message, which names the object by itself: the Event of a patch is then about the reconciled object. */
  readonly says?: string;
}

/**
 * A JSON patch guarded by the target's uid, and by its resourceVersion when the ref carries one (Nodes leave it out and
 * test the elements that they change).
 */
export interface GuardedPatch {
  readonly target: ObjectRef;
  readonly subresource?: "status";
  readonly operations: readonly PatchOperation[];
  /**
   * The effect of a failure, as of a delete, with an Event about the target for each patch that fails; a lost race
   * still runs the key again. After a patch without an answer, the others that may fail are left to the next run, for
   * which the result must ask.
   */
  readonly ifFails?: IfFails;
  /** Sent once the server has accepted the patch. */
  readonly announces?: Notice;
  /**
   * `first`: sent before the creates, of which none is sent when it fails, since it stores what they are known by. `last`:
   * sent behind all other writes when none of them has failed, as one that removes a finalizer is.
   */
  readonly order?: "first" | "last";
}

/** Server-side apply of the complete set of fields that the function owns on another object. */
export interface AppliedObject {
  readonly target: ObjectRef;
  readonly subresource?: "status";
  readonly body: { readonly [field: string]: unknown };
  /** The part of its snapshot that the function has written: a field that the body gives up goes, also when its owner was lost. */
  readonly own?: { readonly [field: string]: unknown };
}

/** A delete of an object that was read live; uid and resourceVersion of the target become preconditions. */
export interface GuardedDelete {
  readonly target: ObjectRef;
  /**
   * A delete that the server refuses or does not answer becomes a Warning Event with this reason, one per reason and
   * run. It does not fail the run and keeps no finalizer; the result says when the function tries again. After a delete
   * without an answer, the others that may fail are left to the next run. With `againAfterMs` it keeps the finalizers
   * of the Decision, and this is when the key comes back, whatever the result says.
   */
  readonly ifFails?: IfFails;
  /** Sent once the server has accepted the delete. */
  readonly announces?: Notice;
  /**
   * The object must end before anything else does: deletes behind this one, and patches that remove a finalizer, are sent
   * only when the server has answered that it is gone. An object that stays does not fail the run: its end brings the key back.
   */
  readonly mustEnd?: true;
}

/** A Kubernetes Event about the reconciled object or `about`, sent once per (reason, message, occasion). */
export interface Notice {
  readonly type: "Normal" | "Warning";
  /** CamelCase; people and dashboards match on it, so one that Cluster API has too is spelled as there. */
  readonly reason: string;
  readonly message: string;
  readonly about?: KubeObject;
  /** Another object in the namespace of the subject, which acts on it. */
  readonly related?:
    | { readonly apiVersion: string; readonly kind: string; readonly name: string }
    | undefined;
  /** Facts for programs, which the message has no words for. */
  readonly annotations?: { readonly [key: string]: string };
  /** Makes the same words a new Event, such as the time of the remediation that they are about. */
  readonly occasion?: string;
}

/** Evictions of one run, ten seconds for all of them, and what follows from their answers. */
interface Evictions<Conclusion> {
  readonly pods: readonly PodEviction[];
  /**
   * Called once with an answer for each Pod, in their order. Pure. Its members replace those of the Decision, and the
   * whole passes the checks of a Decision.
   */
  readonly answered?: ((answers: readonly EvictionAnswer[]) => Conclusion) | undefined;
  /** Set by the runtime, with what followed from them: a letter holds them, and a replay decides by them again. */
  readonly answers?: readonly EvictionAnswer[] | undefined;
}

/** Deliveries of one run, one after the other, 20 seconds for all of them, and what follows from their answers. */
interface Deliveries<Conclusion> {
  readonly of: readonly Delivery[];
  /**
   * Called once with an answer for each delivery, in their order. Pure. Its members replace those of the Decision, and the
   * whole passes the checks of a Decision.
   */
  readonly answered?: ((answers: readonly DeliveryAnswer[]) => Conclusion) | undefined;
  /** Set by the runtime, with what followed from them: a letter holds them, and a replay decides by them again. */
  readonly answers?: readonly DeliveryAnswer[] | undefined;
}

/**
 * Writes for the runtime to send, in the API's own verbs; executed in the order of the members. Patches of different
 * objects are all attempted, side by side; the first error counts afterwards. A patch that removes a finalizer is sent
 * last. Options of one write stand on that write, options of the run stand here (decision record 8).
 */
export interface Decision<T extends KubeObject, Owned extends string> {
  /** Manifests of users for the workload cluster, before everything else. Not beside `evict`. */
  readonly deliver?: Deliveries<Partial<Pick<Decision<T, Owned>, "create" | "patch" | "events" | "result">>>;
  /** Secrets with new keys, one after the other, before what follows. */
  readonly issue?: readonly Issue[];
  readonly create?: readonly NewObject[];
  readonly patch?: readonly GuardedPatch[];
  /** Sent after the patches, not after a failed one, and before the apply. */
  readonly evict?: Evictions<
    Partial<Pick<Decision<T, Owned>, "apply" | "own" | "events" | "notBeforeMs" | "result">>
  >;
  /** ALL owned fields, every time; `undefined` gives a field up. Nothing is sent when nothing changes. */
  readonly apply?: { readonly [P in Owned]: At<T, P> | undefined };
  /** Where others write below an owned field as well: the stored part that this function has written. Default: all of it. */
  readonly own?: { readonly [P in Owned]: At<T, P> | undefined };
  readonly applyOn?: readonly AppliedObject[];
  readonly delete?: readonly GuardedDelete[];
  readonly events?: readonly Notice[];
  /** Raises the floor of the next run to this many ms after this one's start. */
  readonly notBeforeMs?: number;
  readonly result: Result;
}

/** A decision as the runtime sees it: it knows the paths of the owned fields, not their types. */
export interface AnyDecision
  extends Omit<Decision<KubeObject, never>, "apply" | "own" | "evict" | "deliver"> {
  readonly apply?: { readonly [path: string]: unknown };
  readonly own?: { readonly [path: string]: unknown };
  readonly evict?: Evictions<Partial<AnyDecision>>;
  readonly deliver?: Deliveries<Partial<AnyDecision>>;
}

export interface StepContext {
  readonly read: Reader;
  readonly now: Date;
}

/** Another function writes the same field: never both in the same state of the object. One of the two declares it. */
export interface Turn {
  /** The name of the other function. */
  readonly function: string;
  readonly on: Kind | ContractKind;
  readonly field: string;
  /** Which of the two writes when. */
  readonly reason: string;
}

export interface FunctionSpec<T extends KubeObject, Owned extends string> {
  /** `<folder>-<file>`: queue, field manager (with `capstan-` before it), metric label. At most 50 characters. */
  readonly name: string;
  /** One sentence, present tense. */
  readonly summary: string;
  /** The file of Cluster API that it follows, or `own`. */
  readonly source: string;
  readonly reconciles: Kind<T>;
  /** Its step decides nothing for the other ones, which therefore are not woken. Default: all. */
  readonly actsOn?: State;
  /**
   * Whether its step decides nothing for an object, whatever other objects say: then neither a change nor a resync wakes it,
   * but for the change that brings this about. By fields that it watches on the object itself, so that what ends this
   * wakes it.
   */
  readonly isIdle?: (object: T) => boolean;
  /**
   * Whether nothing is left to do once a run's patches and status are as it has written them: then the events of these writes
   * do not wake its key. Not for a step that continues from what it has written.
   */
  readonly settles?: true;
  readonly watches: readonly Watch[];
  /** Fields of the reconciled object's status that this function applies. */
  readonly owns: readonly Owned[];
  /** Paths of the reconciled kind that a user may take over; snapshots keep who manages them. */
  readonly contested?: readonly string[];
  /** Kinds and fields of other objects (and of the own main document) that this function patches or applies. */
  readonly ownsOn?: readonly {
    readonly kind: Kind | ContractKind;
    readonly fields: readonly string[];
    /** Patched as they were read live: no snapshot keeps these fields. */
    readonly liveOnly?: true;
  }[];
  /** Fields that another function writes, too. Without a turn, two writers of one field are refused by test. */
  readonly inTurnWith?: readonly Turn[];
  readonly calls?: readonly {
    /** `issue`: the runtime makes the Secret with its keys. */
    readonly verb: "create" | "delete" | "evict" | "issue";
    readonly kind: Kind | ContractKind;
    /** Counts for the limit of `--max-deletions-per-hour` (S-33). */
    readonly limited?: true;
  }[];
  /** Kinds whose objects it makes wait for their dependents: owner references with `blockOwnerDeletion`. */
  readonly blocks?: readonly Kind[];
  /**
   * Fields that the step reads and whose change enqueues nothing, because what follows from them does. Snapshots keep
   * them, and what is read live: of an object a step gets what it declares, here, in watches or in owns, and no more.
   */
  readonly reads?: readonly {
    readonly on: Kind | ContractKind;
    readonly fields: readonly string[];
    /** No snapshot keeps these fields: they are large, or hold data of users. */
    readonly liveOnly?: true;
  }[];
  /** Kinds read live only, not watched. With `Secret` among them: `read.live.secret`. */
  readonly readsLive?: readonly (Kind | ContractKind)[];
  /** Secrets and ConfigMaps whose manifests it delivers, read with `read.live.manifests`. */
  readonly delivers?: readonly Kind[];
  readonly queue?: Partial<QueueSettings>;
}

/** Any function, as the relay, the worker and the command line see it. */
export interface AnyFunction {
  readonly spec: FunctionSpec<KubeObject, string>;
  readonly step: (object: KubeObject, context: StepContext) => Promise<AnyDecision>;
  /** Why its step decides as it does, for people: the same reads, by the same rules. Only `explain` asks. */
  readonly report?: (object: KubeObject, context: StepContext) => Promise<HealthReport>;
}

/** Names of the field managers that hold `path` of a snapshot; empty when none holds it. Only contested paths. */
export function managersOf(object: KubeObject, path: string): readonly string[] {
  return object.metadata.managers?.[path] ?? [];
}

/** Returns the text of a reference for messages: `infrastructure.cluster.x-k8s.io/FooPool p1`. */
export function describeReference(reference: ContractReference): string {
  return `${reference.apiGroup}/${reference.kind} ${reference.name}`;
}

export function isContractKind(on: Kind | ContractKind): on is ContractKind {
  return "contract" in on;
}
