import type { ConfigMap, Secret } from "../api/core.ts";
import type { Member, Selection } from "../api/indexes.ts";
import type { ClusterName, Kind, KubeObject, ObjectKey } from "../api/kinds.ts";
import type { PatchOperation } from "../api/patch.ts";
import type { Issue } from "../function/issue.ts";
import type { ManifestSummary } from "../function/manifests.ts";
import type { ListOptions } from "../function/reads.ts";
import type { SecretSummary } from "../function/secret-summary.ts";

/** Time of one process. `now` is wall clock; simulation and tests replace it. */
export interface Clock {
  now(): Date;
  /**
   * Calls back once after `delayMs`; the returned function cancels and may be called twice. 0 is the next turn of the
   * event loop: others have theirs before.
   */
  after(delayMs: number, callback: () => void): () => void;
}

/** Chance of one process; simulation replaces it by what follows from a seed. */
export interface Random {
  /** Returns a number in [0, 1). */
  number(): number;
  /** Returns so many random bytes in hexadecimal: this text has never occurred before. */
  id(bytes: number): string;
  uuid(): string;
}

/** A field that is a function is asked for its value when its line is written: mostly none is. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** All objects of one kind on one server. The version is not part of it: a kind is stored once. */
export interface TypeKey {
  readonly cluster: ClusterName;
  readonly group: string;
  readonly kind: string;
}

export interface TypeProgress {
  /** The first list is complete and all of it is still there: an object that is not stored does not exist. */
  readonly ready: boolean;
  /** The version up to which every change has been stored and delivered (KR-14); undefined before the first list. */
  readonly resourceVersion: string | undefined;
  /** Scope of the snapshots: server, selector, kept fields. Only a relay of the same scope continues from them. */
  readonly scope: string | undefined;
  /** Why the server lets no relay list the type, with the next step; only while it is not ready. */
  readonly refusal?: string | undefined;
}

/** Objects of a type, and its progress at the same instant. */
export interface Read {
  readonly found: readonly KubeObject[];
  readonly progress: TypeProgress;
}

/** Signs of life of the watches that feed the read model: what they have not followed may have changed since. */
export interface Signs {
  /** Notes that these watches follow their server now. */
  note(types: readonly SignedType[], now: Date): Promise<void>;
  /**
   * Returns when each was last noted, by `signOf`, in the time of the clock of the caller, as which `now` is.
   * Undefined: no watch feeds this read model.
   */
  read(now: Date): Promise<ReadonlyMap<string, Date> | undefined>;
}

/** A type of the management server, or Connection for all that is read from workload clusters. */
export type SignedType = Pick<TypeKey, "group" | "kind">;

/** A stored change that may not have been delivered. No `before`: added. No `after`: removed. */
export interface Unreported {
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
}

/** How the read model took a snapshot. */
export interface Stored {
  /** True also for the version that is stored already and untold. */
  readonly stored: boolean;
  /** The snapshot before that version. */
  readonly before: KubeObject | undefined;
}

/** A part of the names of objects, in one namespace or in all. */
export interface NamePart {
  readonly namespace?: string | undefined;
  readonly part: string;
}

/**
 * The read model: the newest known snapshot of every watched object (no Secrets, no managedFields). A cache: it may be
 * wiped at any time and is then filled again by the relay. Snapshots are frozen and shared; never mutate them.
 */
export interface Store extends AsyncDisposable {
  get(type: TypeKey, key: ObjectKey): Promise<KubeObject | undefined>;
  /** Lists objects, sorted by namespace, then name. */
  list(type: TypeKey, selection: Selection): Promise<readonly KubeObject[]>;
  /** Gets an object, or lists objects, together with the progress of their type. */
  read(type: TypeKey, asked: ObjectKey | Selection): Promise<Read>;
  find(type: TypeKey, index: string, value: string): Promise<readonly Member[]>;
  /** Objects of a type with `part` in their names, in no order, at most `limit`: for the searches of people. */
  named(type: TypeKey, part: NamePart, limit: number): Promise<readonly ObjectKey[]>;
  /** Yields every snapshot, in no order and some at a time; one stored or removed meanwhile may be missing. */
  each(type: TypeKey): AsyncIterable<KubeObject>;
  /**
   * Stores snapshots and their index entries in their order and in one step: no reader finds one without those before it.
   * One that is not newer than the stored one (same uid, version not higher) is left out. Keeps what was stored before
   * until `advance` says that the change has been delivered.
   */
  put(type: TypeKey, objects: readonly KubeObject[]): Promise<readonly Stored[]>;
  /**
   * Removes a snapshot in one step when its uid is `uid` and it is not newer than `resourceVersion`. Returns it, and
   * again until `advance` says that the removal has been delivered.
   */
  remove(
    type: TypeKey,
    key: ObjectKey,
    deleted: { readonly uid: string; readonly resourceVersion: string },
  ): Promise<KubeObject | undefined>;
  progress(type: TypeKey): Promise<TypeProgress>;
  /** The last change of every object that changed after the version of the type, in no order. */
  unreported(type: TypeKey): Promise<readonly Unreported[]>;
  /**
   * A version only grows: every change up to it has been stored and delivered. A store that may lose data
   * trusts `ready` only when the type was reported not ready before: a list begins with `false` and ends with
   * `true`.
   */
  advance(type: TypeKey, progress: Partial<TypeProgress>): Promise<void>;
  /** Forgets a type with all its snapshots. */
  drop(type: TypeKey): Promise<void>;
  readonly signs: Signs;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: KubeObject;
}

/** One API server as one function (its name is the User-Agent and, with `capstan-` before it, the field manager). */
export interface KubeClient {
  /** `undefined` for an affirmative 404 of the object; a 404 of the whole type throws reason `TypeNotServed`. */
  get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): Promise<T | undefined>;
  list<T extends KubeObject>(
    kind: Kind<T>,
    options: ListOptions,
  ): Promise<{ readonly items: readonly T[]; readonly resourceVersion: string }>;
  create<T extends KubeObject>(kind: Kind, object: T): Promise<KubeObject>;
  /** Sends a JSON patch (RFC 6902). */
  jsonPatch(
    kind: Kind,
    key: ObjectKey,
    operations: readonly PatchOperation[],
    subresource?: "status",
  ): Promise<KubeObject>;
  /** Applies on the server's side, with force. */
  apply(kind: Kind, key: ObjectKey, body: object, subresource?: "status"): Promise<KubeObject>;
  /** Deletes in the background, with preconditions. A 404 is success (`undefined`). */
  delete(
    kind: Kind,
    key: ObjectKey,
    preconditions: { readonly uid: string; readonly resourceVersion?: string | undefined },
  ): Promise<KubeObject | undefined>;
  /**
   * Evicts a Pod (policy/v1) when it still has this uid. A refusal by a disruption budget (429 with that cause) is
   * neither repeated, nor does it pause other requests. Throws KubeError `EvictionTimeout` when the answer is missing
   * after `withinMs`, the wait for a turn included.
   */
  evict(
    key: ObjectKey,
    eviction: {
      readonly uid: string;
      readonly gracePeriodSeconds?: number | undefined;
      readonly withinMs: number;
    },
  ): Promise<undefined>;
  /** Kinds whose objects the server stores under an apiVersion, such as `v1`; none when it does not serve it. */
  kinds(apiVersion: string): Promise<readonly Kind[]>;
  /**
   * Streams changes from `resourceVersion` until the server ends the watch or `signal` aborts. Bookmarks are asked for.
   * Throws KubeError (reason `Expired` for 410 by either path, `Undecodable` for a line that is not an event).
   */
  watch(
    kind: Kind,
    options: ListOptions & { readonly resourceVersion: string; readonly timeoutSeconds: number },
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent>;
}

/** Common parameters of the requests of a client, beside the function. */
export interface Sending {
  /** Id of the run that sends them; the API server puts it into its audit log as auditID. */
  readonly runId?: string | undefined;
  /** Writes are checked and answered, not stored. */
  readonly dryRun?: boolean | undefined;
  /** Asked when the turn of a write has come: throws when nothing may be sent from now on. */
  readonly mayGo?: (() => void) | undefined;
  /** An Event, which may leave however old the claim of its run is: it changes nothing. */
  readonly late?: boolean | undefined;
  /** Recorded in place of the body of a write, which holds keys. */
  readonly recordedAs?: object | undefined;
}

/** Makes keys and certificates, and says what a Secret holds. Only processes that serve `credentials` have one. */
export interface Issuer {
  /** Describes in time that grows with the size of the Secret only; at most 256 KiB of a value are read. */
  describe(secret: Secret): SecretSummary;
  /**
   * The data of a new Secret. Keys are made off the event loop. Throws TerminalError `KubeconfigNotIssued` whose message
   * names the Secret of the authority and what is wrong with it, never a value.
   */
  issue(what: Issue["what"], context: IssueContext): Promise<NonNullable<Secret["data"]>>;
}

export interface IssueContext {
  readonly now: Date;
  /** Asked for the Secret of an authority. */
  readonly read: (key: ObjectKey) => Promise<Secret | undefined>;
}

/** Reads manifests in Secrets and ConfigMaps of users. Only processes that serve `workload` have one. */
export interface Manifests {
  /** Describes in time that grows with the size only. */
  describe(resource: Secret | ConfigMap): ManifestSummary;
  /**
   * Returns the objects of each value, in the order of their keys. Throws TerminalError `InvalidManifest` whose message
   * names the key and what is wrong there, never a value.
   */
  objectsIn(resource: Secret | ConfigMap): readonly (readonly KubeObject[])[];
}

/** Connections by server name. */
export interface Clients {
  /** Throws WaitingError when the workload cluster is not connected. */
  of(cluster: ClusterName, functionName: string, sending?: Sending): KubeClient;
}
