import type {
  ClusterName,
  ContractReference,
  ContractVersion,
  Kind,
  KubeObject,
  ObjectKey,
} from "../api/kinds.ts";
import type { QueueSettings } from "./backoff.ts";
import type { AttemptSummary, DeadLetter, DeadLetterHead, DeathReason } from "./dead-letter.ts";
import type { ErrorClass } from "./errors.ts";
import type { Key } from "./key.ts";

/** Time of one process. `now` is wall clock; simulation and tests replace it. */
export interface Clock {
  now(): Date;
  /** Calls back once after `delayMs`; the returned function cancels and may be called twice. */
  after(delayMs: number, callback: () => void): () => void;
}

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

/** An object found through an index, with the tenant that its keys belong to. */
export interface Member extends ObjectKey {
  readonly tenant: string;
}

export interface Selection {
  readonly namespace?: string;
  /** Only objects with one of these values in the index (shared/api/indexes.ts). */
  readonly index?: { readonly name: string; readonly values: readonly string[] };
}

export interface TypeProgress {
  /** The first list is complete: what is not stored does not exist. */
  readonly ready: boolean;
  /** The version up to which every change has been stored; undefined before the first list. */
  readonly resourceVersion: string | undefined;
}

/**
 * The read model: the newest known snapshot of every watched object (no Secrets, no managedFields). A cache: it may
 * be wiped at any time and is then filled again by the relay. Snapshots are frozen and shared; never mutate them.
 */
export interface Store extends AsyncDisposable {
  get(type: TypeKey, key: ObjectKey): Promise<KubeObject | undefined>;
  /** Sorted by namespace, then name. */
  list(type: TypeKey, selection: Selection): Promise<readonly KubeObject[]>;
  find(type: TypeKey, index: string, value: string): Promise<readonly Member[]>;
  /**
   * Stores a snapshot and its index entries in one step and advances the type's version, unless the stored one is
   * as new (same uid, version not lower). Returns what was stored before.
   */
  put(type: TypeKey, object: KubeObject): Promise<{ stored: boolean; before: KubeObject | undefined }>;
  /**
   * Removes a snapshot in one step when its uid is `uid` and it is not newer than `resourceVersion`. Returns it.
   */
  remove(
    type: TypeKey,
    key: ObjectKey,
    deleted: { readonly uid: string; readonly resourceVersion: string },
  ): Promise<KubeObject | undefined>;
  progress(type: TypeKey): Promise<TypeProgress>;
  advance(type: TypeKey, progress: Partial<TypeProgress>): Promise<void>;
  /** Forgets a type with all its snapshots. */
  drop(type: TypeKey): Promise<void>;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: KubeObject;
}

export type PatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

export interface ListOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
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
  /** JSON patch (RFC 6902). */
  jsonPatch(
    kind: Kind,
    key: ObjectKey,
    operations: readonly PatchOperation[],
    subresource?: "status",
  ): Promise<KubeObject>;
  /** Server-side apply with force. */
  apply(kind: Kind, key: ObjectKey, body: object, subresource?: "status"): Promise<KubeObject>;
  /** Background propagation with preconditions. A 404 is success (`undefined`). */
  delete(
    kind: Kind,
    key: ObjectKey,
    preconditions: { readonly uid: string; readonly resourceVersion?: string | undefined },
  ): Promise<KubeObject | undefined>;
  /**
   * Streams changes from `resourceVersion` until the server ends the watch or `signal` aborts. Bookmarks are asked
   * for. Throws KubeError (reason `Expired` for 410 by either path, `Undecodable` for a line that is no event).
   */
  watch(
    kind: Kind,
    options: ListOptions & { readonly resourceVersion: string; readonly timeoutSeconds: number },
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent>;
}

/** Connections by server name. */
export interface Clients {
  /** Throws WaitingError when the workload cluster is not connected. */
  of(cluster: ClusterName, functionName: string): KubeClient;
}

/** Why a key was enqueued, for logs, explain and dead letters. */
export interface Cause {
  /** `MachinePool default/p1`, `timer`, `resync`, `replay`. */
  readonly what: string;
  readonly resourceVersion?: string | undefined;
}

/** A snapshot that a run must not go back behind: stored version at least (or above) the given one. */
export interface Fence extends ObjectKey {
  readonly cluster: ClusterName;
  readonly group: string;
  readonly kind: string;
  readonly resourceVersion: string;
  /** After a lost race only a newer version will do. */
  readonly newerThan?: boolean | undefined;
}

export interface QueueEntry {
  readonly key: Key;
  /** Default 0. */
  readonly delayMs?: number;
  readonly class: "live" | "resync";
  readonly cause?: Cause | undefined;
}

/** The right to run one key once. */
export interface Lease {
  readonly key: Key;
  readonly causes: readonly Cause[];
  /** Failures so far. */
  readonly failures: number;
  /** Runs in a row that ended in `again`. */
  readonly again: number;
  readonly fences: readonly Fence[];
  /** How long the key was ready before this claim, by the clock of the ledger; absent where that is not known. */
  readonly readyMs?: number | undefined;
  /** Aborts when the lease is lost, the run takes too long, or the worker stops. */
  readonly signal: AbortSignal;
}

export interface Failure {
  readonly class: ErrorClass;
  readonly reason: string;
  readonly message: string;
}

/** How a run ended; the ledger decides what that means for the key (queue.md 3). */
export type Outcome =
  | {
      readonly type: "ok";
      /** Run again after this long; absent = idle until an event. */
      readonly afterMs?: number | undefined;
      /** Raises the floor of the next claim to this long after this claim. */
      readonly notBeforeMs?: number | undefined;
      /** The run sent a write request: arms the floor. */
      readonly requested: boolean;
      /** What the key waits for, for `explain`. */
      readonly waitingFor?: string | undefined;
      readonly fences: readonly Fence[];
    }
  | {
      /** Stale snapshot or lost race: touches neither the failure count nor the floor. */
      readonly type: "again";
      readonly afterMs: number;
      readonly fences: readonly Fence[];
    }
  | {
      readonly type: "error";
      readonly failure: Failure;
      /** Dead at once. */
      readonly terminal: boolean;
      readonly requested: boolean;
      readonly fences: readonly Fence[];
      /** What the run read, decided and sent; absent when the run never got to its step. */
      readonly record?: AttemptRecord | undefined;
    };

/** A question of a step to its reader. */
export type ReadQuestion =
  | {
      readonly call: "get" | "live.get";
      readonly cluster: ClusterName;
      readonly kind: Kind;
      readonly key: ObjectKey;
    }
  | {
      readonly call: "list" | "live.list";
      readonly cluster: ClusterName;
      readonly kind: Kind;
      readonly selection: Selection | ListOptions;
    }
  | {
      readonly call: "referenced" | "live.referenced";
      readonly reference: ContractReference;
      readonly namespace: string;
    };

export type RecordedAnswer =
  | { readonly type: "object"; readonly object: KubeObject | undefined }
  | { readonly type: "list"; readonly items: readonly KubeObject[] }
  | { readonly type: "referenced"; readonly value: Referenced }
  | { readonly type: "error"; readonly error: unknown };

/** One read of a run with the whole answer, by reference. */
export interface RecordedRead {
  readonly question: ReadQuestion;
  /** Where the answer came from: behind a fence, a snapshot is replaced by a live read. */
  readonly source: "snapshot" | "live";
  readonly answer: RecordedAnswer;
}

/** One write request of a run. */
export interface RecordedWrite {
  readonly verb: "create" | "patch" | "apply" | "delete";
  readonly cluster: ClusterName;
  readonly kind: Kind;
  readonly key: ObjectKey;
  readonly subresource?: "status" | undefined;
  readonly fieldManager: string;
  readonly precondition?: object | undefined;
  readonly body?: unknown;
  readonly outcome: { readonly resourceVersion?: string | undefined; readonly error?: unknown };
}

/** A failed run by reference, unredacted: serialised only for a dead letter, never logged. */
export interface AttemptRecord {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Handed to the step; absent when the run did not get that far. */
  readonly clock?: Date | undefined;
  readonly reads: readonly RecordedRead[];
  readonly writes: readonly RecordedWrite[];
  readonly decision?: object | undefined;
  /** What was thrown; absent when the step decided to fail. */
  readonly thrown?: unknown;
  /** The decision passed its check, so that what was thrown came from sending it. */
  readonly accepted: boolean;
}

/** A run that failed, as the queue sees it. */
export interface FailedRun {
  readonly function: string;
  readonly key: Key;
  /** Absent when the lease expired: nobody finished the run. */
  readonly owner?: string | undefined;
  readonly failure: Failure;
  /** Failures in a row, this one included. */
  readonly failures: number;
  readonly again: number;
  readonly causes: readonly Cause[];
  readonly record?: AttemptRecord | undefined;
  /** The key has died of it. */
  readonly death?: Death | undefined;
}

export interface Death {
  readonly reason: DeathReason;
  readonly class: QueueEntry["class"];
  /** The same instant for every failing probe of one death. */
  readonly since: Date;
}

/** Told by a queue about every failed run that it counts. Never rejects. */
export type NoteFailure = (run: FailedRun) => Promise<void>;

/**
 * Dead letters by function and key: the newest record wins, `times` counts deaths, at most 10,000 per function and
 * 14 days (S-28). `test/suites/dead-letters.ts` checks it for every store.
 */
export interface DeadLetters extends AsyncDisposable {
  /** Hides secrets of this installation (redact.ts). The key is made at the first use. */
  hide(): Promise<(secret: string) => string>;
  /** Keeps the last five failed attempts of a key; the first failure in a row (`failures` 1) forgets older ones. */
  noteAttempt(at: LetterKey, attempt: AttemptSummary): Promise<AttemptHistory>;
  /** Stores a redacted letter in one step; a probe's letter of the same `deadSince` does not raise `times`. */
  put(letter: DeadLetter): Promise<void>;
  get(at: LetterKey): Promise<DeadLetter | undefined>;
  /** The longest dead first. */
  list(functionName?: string): Promise<readonly DeadLetterHead[]>;
  /** False when there was none. */
  drop(at: LetterKey): Promise<boolean>;
  /** Removes what is older than 14 days; returns how many. */
  expire(): Promise<number>;
}

/** The failures in a row of one key. */
export interface AttemptHistory {
  readonly firstFailureAt: string;
  /** The last five, oldest first. */
  readonly attempts: readonly AttemptSummary[];
}

export interface LetterKey {
  readonly function: string;
  readonly key: Key;
}

export interface QueueDepth {
  readonly ready: number;
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
  /** Milliseconds until the next waiting key is due; undefined when none waits. */
  readonly nextDueMs?: number | undefined;
  /** Of the ready keys, those of class resync; absent where that is not known. */
  readonly readyResync?: number | undefined;
  /** How long the longest ready key of each class has been ready; absent where none is or that is not known. */
  readonly oldestReadyMs?: { readonly [urgency in QueueEntry["class"]]?: number } | undefined;
  /** Claims are stopped; absent otherwise. */
  readonly paused?: boolean | undefined;
  /** Most runs fail, so claims are slowed down (queue.md 7); absent otherwise. */
  readonly breakerOpen?: boolean | undefined;
  /** Dead keys that were forgotten because there were too many; absent while there are none. */
  readonly deadEvicted?: number | undefined;
  /** By tenant (part of the key before the first `|`); absent where no key is or that is not known. */
  readonly tenants?: { readonly [tenant: string]: TenantDepth } | undefined;
}

export interface TenantDepth {
  readonly ready: number;
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
}

export interface QueueHealth {
  readonly ok: boolean;
  /** What is wrong; no secrets. */
  readonly message?: string;
}

export interface DeadKey {
  readonly key: Key;
  readonly since: Date;
  readonly failures: number;
  readonly failure: Failure;
}

export interface WorkOptions extends QueueSettings {
  /** Name of this worker, for leases. */
  readonly owner: string;
}

/**
 * Reconcile keys by function. The contract is queue.md 2 and 3; `test/suites/queue.ts` checks it for
 * every driver. Function names are `[a-z0-9-]{1,63}`.
 */
export interface Queue extends AsyncDisposable {
  /** At least one claim at or after now for every entry, or a dead key. Same keys merge; the earliest due wins. */
  enqueue(functionName: string, entries: readonly QueueEntry[]): Promise<void>;
  /** Starts claiming. Disposing stops claiming, lets runs finish for up to 25 s, then releases their keys. */
  work(
    functionName: string,
    options: WorkOptions,
    run: (lease: Lease) => Promise<Outcome>,
  ): Promise<AsyncDisposable>;
  depth(functionName: string): Promise<QueueDepth>;
  dead(functionName: string): Promise<readonly DeadKey[]>;
  /**
   * Changes when the ledger has lost data or may have: gone, another server process, an outage of more than 5 s, a
   * refused event. The relay then resyncs.
   */
  epoch(functionName: string): Promise<string>;
  /** Stops the claims of a function in all processes; running keys end, events are accepted. Kept in the ledger. */
  pause(functionName: string): Promise<void>;
  resume(functionName: string): Promise<void>;
  /** As this process sees it, without asking anybody. */
  healthy(): QueueHealth;
}

/** What a read of a referenced provider object gives (provider-contracts.md 2). */
export type Referenced<T extends KubeObject = KubeObject> =
  | {
      readonly state: "found";
      readonly object: T;
      /** The contract that the CRD claims: decides field paths. */
      readonly contract: ContractVersion;
      readonly kind: Kind;
    }
  /** An affirmative 404 of the object. */
  | { readonly state: "missing"; readonly contract: ContractVersion; readonly kind: Kind }
  /** No CRD of that kind, or one without a label for a supported contract; `message` names the CRD. */
  | { readonly state: "unresolved"; readonly crdExists: boolean; readonly message: string };

/** Reads that go to the API server. For destructive decisions only (F-20). */
export interface LiveReader {
  get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster?: ClusterName): Promise<T | undefined>;
  list<T extends KubeObject>(
    kind: Kind<T>,
    options: ListOptions,
    cluster?: ClusterName,
  ): Promise<readonly T[]>;
  referenced<T extends KubeObject = KubeObject>(
    reference: ContractReference,
    namespace: string,
  ): Promise<Referenced<T>>;
}

/** The only door into a step. Every read is recorded for replay. */
export interface Reader {
  /** From the read model; `undefined` = known not to exist. Throws WaitingError while the kind is still listing. */
  get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster?: ClusterName): Promise<T | undefined>;
  list<T extends KubeObject>(
    kind: Kind<T>,
    selection: Selection,
    cluster?: ClusterName,
  ): Promise<readonly T[]>;
  /** A provider object by reference, in the version of its CRD's contract labels. */
  referenced<T extends KubeObject = KubeObject>(
    reference: ContractReference,
    namespace: string,
  ): Promise<Referenced<T>>;
  readonly live: LiveReader;
}
