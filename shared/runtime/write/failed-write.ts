import type { KubeObject, ObjectRef } from "../../api/kinds.ts";
import { KubeError } from "../../function/errors.ts";
import type { KubeClient } from "../ports.ts";
import type { Fence } from "../queue/queue-port.ts";
import { fenceOf } from "../read/freshness.ts";
import { isAtLeast } from "../resource-version.ts";

/** Reason of a KubeError: a patch without a version was refused, so no newer snapshot promises another answer. */
export const PATCH_REFUSED = "PatchRefused";

/** A write that the API server did not confirm. */
export interface FailedWrite {
  readonly ref: ObjectRef;
  readonly verb: "create" | "patch" | "apply" | "delete";
  readonly error: unknown;
}

/** Consequences of a failed write for its run and for the next one. */
export interface Verdict {
  /** Failure of the run. */
  readonly error: unknown;
  /** The snapshot that the next run has to wait for, if any. */
  readonly fence?: Fence | undefined;
}

/**
 * Finds out what became of the object (KC-07). Where the answer says too little, it is read once: after an answer that
 * was lost, when the write may be done, and after a failed `test`, which names no operation. The write itself is never
 * sent again: the next run sees the object at least as it is now, and decides again. A patch whose tests failed on an
 * object that has not changed can never succeed: that is Terminal. One that was made for no version (Nodes) may have
 * lost a race, or may never succeed: after the look it is a failure like any other, with backoff, attempts and a dead
 * letter. Waiting for a newer snapshot would have no end. A create or delete needs no look: sent again, the one is
 * answered with AlreadyExists, the other guards by uid.
 */
export async function judgeFailedWrite(write: FailedWrite, client: () => KubeClient): Promise<Verdict> {
  const { ref, verb, error } = write;
  if (!(error instanceof KubeError)) return { error };
  const failedTest = verb === "patch" && error.status === 422 && error.class === "Conflict";
  const isForAnyVersion = verb === "patch" && ref.resourceVersion === undefined && error.class === "Conflict";
  if (!failedTest && !isForAnyVersion && !(isChange(verb) && mayBeDone(error))) {
    return { error, fence: lostRace(error, ref) };
  }
  const found = await look(ref, client);
  if (isForAnyVersion) return { error: patchRefused(error), fence: seenAt(found, ref) };
  if (found === "unknown") return { error, fence: lostRace(error, ref) };
  const { uid, resourceVersion } = found?.metadata ?? {};
  const unchanged = uid === ref.uid && resourceVersion === ref.resourceVersion;
  if (failedTest && unchanged) return { error: doesNotFit(error) };
  // On a restored server its version says nothing: the snapshot itself has to go (KR-12).
  if (failedTest && isPassed(resourceVersion, ref.resourceVersion))
    return { error, fence: lostRace(error, ref) };
  return { error, fence: seenAt(found, ref) };
}

function seenAt(found: KubeObject | "unknown" | undefined, ref: ObjectRef): Fence | undefined {
  const resourceVersion = found === "unknown" ? undefined : found?.metadata.resourceVersion;
  return resourceVersion === undefined ? undefined : fenceOf(ref, resourceVersion);
}

/** Returns whether the snapshot of version `known` is new enough for a run that waits for `version`. */
function isPassed(version: string | undefined, known: string | undefined): boolean {
  return version !== undefined && isAtLeast(known, version);
}

function isChange(verb: FailedWrite["verb"]): boolean {
  return verb === "patch" || verb === "apply";
}

/** Whether there was no answer, one that cannot be read, or one of a server or proxy that failed halfway. */
function mayBeDone({ class: kind, status }: KubeError): boolean {
  return kind === "Transient" && (status === 0 || status >= 500);
}

function lostRace(error: KubeError, ref: ObjectRef): Fence | undefined {
  if (error.class !== "Conflict" || ref.resourceVersion === undefined) return undefined;
  return { ...fenceOf(ref, ref.resourceVersion), newerThan: true };
}

/** A server that has just failed to answer may fail again; then nothing is known, and the tests of the writes guard. */
async function look(ref: ObjectRef, client: () => KubeClient): Promise<KubeObject | "unknown" | undefined> {
  try {
    return await client().get(ref.kind, ref);
  } catch {
    return "unknown";
  }
}

function patchRefused(error: KubeError): KubeError {
  const { status, message, causes } = error;
  const text = `${message}; if this continues, check the admission webhooks of that server and other writers of the object`;
  return new KubeError({
    class: "Transient",
    status,
    reason: PATCH_REFUSED,
    message: text,
    causes,
    cause: error,
  });
}

function doesNotFit(error: KubeError): KubeError {
  const { status, reason, message, causes } = error;
  const text = `bug: the patch does not fit the version that it was made for: ${message}`;
  return new KubeError({ class: "Terminal", status, reason, message: text, causes, cause: error });
}
