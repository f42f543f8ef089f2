import { type KubeObject, type ObjectRef, titleOf } from "../../api/kinds.ts";
import type { AnyFunction } from "../../function/define-function.ts";
import { KubeError } from "../../function/errors.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { Store } from "../ports.ts";
import { type Cause, type Fence, type Lease, RESTORED } from "../queue/queue-port.ts";
import { BehindTriggerError } from "../queue/triggers.ts";
import { isAtLeast } from "../resource-version.ts";
import { NotListedError } from "./listed.ts";
import { mayReadLive } from "./live-reader.ts";
import type { RecordingReader } from "./reader.ts";

/** First wait for a snapshot until the next look. Each further one takes twice as long: where it lags, looks cost. */
const FIRST_WAIT_MS = 100;
/** A change that is delivered ends a wait before. */
const MAX_WAIT_MS = 800;
const MAX_LIST_WAIT_MS = 5_000;
/** The most looks in a row (11 s); then stale objects are read live, and a lost race counts as a failure. */
const MAX_RETRIES = 16;

/** Consequences of the fences and causes of a lease for its run. */
export interface Barrier {
  /** Fences that the read model has not passed: the reader reads their objects live. */
  readonly overdue: readonly Fence[];
  /** Changes that no snapshot may be older than. */
  readonly causes: readonly Cause[];
  /** The run must wait so long for the read model and look again; absent = it may begin. */
  readonly waitMs?: number;
}

/**
 * Compares the fences of a lease with the read model. A run that has waited too often begins all the same, and reads
 * live what it may. So does the first run on a restored server: its fences and causes are of another time (KR-12).
 */
export async function barrierOf({ spec }: AnyFunction, store: Store, lease: Lease): Promise<Barrier> {
  const overdue = await staleFences(store, lease.fences);
  if (lease.retries >= MAX_RETRIES || isRestored(lease))
    return { overdue: overdue.filter(({ cluster }) => mayReadLive(spec, cluster)), causes: [] };
  return overdue.length > 0
    ? { overdue, causes: lease.causes, waitMs: waitMs(lease) }
    : { overdue, causes: lease.causes };
}

function waitMs({ retries }: Lease, most = MAX_WAIT_MS): number {
  return Math.min(most, FIRST_WAIT_MS * 2 ** retries);
}

/** A write was held back because the claim of its run was too old: the next run decides again. */
export class StaleRunError extends Error {
  constructor() {
    super("the claim of the run is too old for a write");
    this.name = "StaleRunError";
  }
}

/**
 * Returns after how many ms a run that ended with `error` runs again because its snapshots were stale: its list is not
 * complete, a snapshot is older than its cause, a write has lost a race or came too late. Undefined: the error is a failure.
 */
export function againAfterMs(error: unknown, lease: Lease): number | undefined {
  if (error instanceof NotListedError) return waitMs(lease, MAX_LIST_WAIT_MS);
  if (error instanceof BehindTriggerError) return waitMs(lease);
  const isLostRace =
    error instanceof StaleRunError || (error instanceof KubeError && error.class === "Conflict");
  return isLostRace && lease.retries < MAX_RETRIES ? waitMs(lease) : undefined;
}

/** Versions that a run has seen and written: the next run must not go back behind them. */
interface Seen {
  readonly overdue: readonly Fence[];
  readonly read?: Pick<RecordingReader, "listedInstead" | "liveVersion" | "readLive"> | undefined;
  readonly written: { readonly fences: readonly Fence[] };
  readonly thrown?: unknown;
}

/**
 * Returns what the next run must not go back behind: the versions of this run's writes, else what it read live in place
 * of a snapshot that lags behind, else the fence as it was. A kind that was listed live counts as a whole: what
 * was seen of objects without a fence must not be older the next time either. The event of a write wakes the key after all
 * when the run has failed, or may have seen two versions of the object: then it may know less than the newer one.
 */
export function fencesAfter(lease: Lease, { overdue, read, written, thrown }: Seen): readonly Fence[] {
  const behind = thrown instanceof BehindTriggerError ? thrown.fences : [];
  const listed = isRestored(lease) ? [] : (read?.listedInstead() ?? []);
  const kept = notOvertaken([...overdue.map(withoutEcho), ...behind], written.fences)
    .filter((fence) => !listed.some((newer) => isSameKind(fence, newer)))
    .flatMap((fence): readonly Fence[] => {
      if (read === undefined) return [fence];
      const resourceVersion = read.liveVersion(fence.cluster, fence, fence);
      if (resourceVersion !== undefined) return [{ ...fence, resourceVersion, newerThan: undefined }];
      // Not read, or gone: until the read model has heard of its end, it may still show what was before.
      return isRestored(lease) ? [] : [fence];
    });
  const isPlain = (fence: Fence) =>
    thrown === undefined && read?.readLive(fence.cluster, fence, fence) === false;
  return [
    ...kept,
    ...listed,
    ...written.fences.map((fence) => (isPlain(fence) ? fence : withoutEcho(fence))),
  ];
}

function withoutEcho({ echo: _, ...fence }: Fence): Fence {
  return fence;
}

/**
 * Returns the fences that a run leaves whose queue did not wait for its end: those that it began with, and the versions
 * that the answers to its writes, or reads after writes without a clear answer, have shown until then. Undefined
 * when none did: the fences stay as they are, also their age.
 */
export function fencesOfCutOff(
  { fences }: Pick<Lease, "fences">,
  record: AttemptRecord | undefined,
): readonly Fence[] | undefined {
  const written = (record?.writes ?? []).flatMap(({ cluster, kind, key, outcome }) => {
    const version = outcome.resourceVersion ?? outcome.foundVersion;
    return version === undefined ? [] : [fenceOf({ ...key, cluster, kind }, version)];
  });
  if (written.length === 0) return undefined;
  return [...notOvertaken(fences, written), ...written];
}

/** Returns the fence of an object at a version. */
export function fenceOf(
  ref: Pick<ObjectRef, "cluster" | "namespace" | "name" | "kind">,
  resourceVersion: string,
): Fence {
  const { cluster, namespace, name, kind } = ref;
  return { cluster, namespace, name, group: kind.group, kind: kind.kind, resourceVersion };
}

/**
 * Returns the fence of an accepted write, given its answer; undefined when that has no version. An object that ends with
 * its last finalizer is answered with the version before the patch, which its snapshot has until its end is delivered.
 */
export function fenceOfAnswer(ref: ObjectRef, answer: KubeObject | undefined): Fence | undefined {
  const { resourceVersion, deletionTimestamp, finalizers = [] } = answer?.metadata ?? {};
  if (resourceVersion === undefined) return undefined;
  const fence = fenceOf(ref, resourceVersion);
  const hasEnded = deletionTimestamp !== undefined && finalizers.length === 0;
  return hasEnded && resourceVersion === ref.resourceVersion ? { ...fence, newerThan: true } : fence;
}

/** Returns the event of a write, as the ledger compares it with the causes of a key. */
export function echoOf({ kind, resourceVersion, ...key }: Fence): string {
  return `${titleOf(kind, key)}@${resourceVersion}`;
}

/**
 * The fences that the read model has not passed yet. An object that is gone is not stale. Neither is one whose kind the
 * read model does not hold (Secrets, for instance): no snapshot of it can be read.
 */
async function staleFences(store: Store, fences: readonly Fence[]): Promise<readonly Fence[]> {
  const checked = await Promise.all(
    fences.map(async (fence) => {
      const type = { cluster: fence.cluster, group: fence.group, kind: fence.kind };
      const { namespace, name } = fence;
      const { found, progress } = await store.read(type, { namespace, name });
      const known = found[0]?.metadata.resourceVersion ?? progress.resourceVersion;
      if (known === undefined) return [];
      const passed =
        isAtLeast(known, fence.resourceVersion) && !(fence.newerThan && known === fence.resourceVersion);
      return passed ? [] : [fence];
    }),
  );
  return checked.flat();
}

/** The changes behind the fences have happened on another server, or never (KR-12). */
function isRestored({ causes }: Lease): boolean {
  return causes.some(({ what }) => what === RESTORED);
}

/** Returns the fences of objects that the run has not written since. */
function notOvertaken(fences: readonly Fence[], written: readonly Fence[]): readonly Fence[] {
  return fences.filter((fence) => !written.some((newer) => isSameObject(fence, newer)));
}

function isSameObject(a: Fence, b: Fence): boolean {
  return isSameKind(a, b) && a.namespace === b.namespace && a.name === b.name;
}

function isSameKind(a: Fence, b: Fence): boolean {
  return a.cluster === b.cluster && a.group === b.group && a.kind === b.kind;
}
