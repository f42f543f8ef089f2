import { apiVersionOf, type KubeObject, type ObjectRef, refTo } from "../api/kinds.ts";
import type { PatchOperation } from "../api/patch.ts";
import { sameJson, segmentsOf, valueAt } from "../api/path.ts";
import type {
  AnyDecision,
  AnyFunction,
  AppliedObject,
  GuardedDelete,
  GuardedPatch,
  NewObject,
  Notice,
} from "../function/define-function.ts";
import { assert, KubeError, WaitingError } from "../function/errors.ts";
import type { EvictionAnswer, PodEviction } from "../function/evictions.ts";
import { sendEvictions } from "./evictions.ts";
import { type FailedWrite, judgeFailedWrite } from "./failed-write.ts";
import { fenceOf } from "./freshness.ts";
import { issueWrite } from "./issue-write.ts";
import type { KubeClient } from "./ports.ts";
import type { Fence } from "./queue-port.ts";
import { type EventContext, sendEvents } from "./send-events.ts";

/** Requests and answers. */
export interface Written {
  /** The decision, with what its evictions were answered and what follows from that. */
  readonly decision: AnyDecision;
  /** Write requests sent, Events not counted. */
  readonly requests: number;
  /** Versions that the next run of the key must not go back behind. */
  readonly fences: readonly Fence[];
  /** The first failure, if any; everything that does not depend on it was still attempted. */
  readonly error: unknown;
  /** A write that may fail has failed, and the rest of the Decision waits for it: until then. */
  readonly again?: Again | undefined;
}

/** When a failed write is tried again, and the reason of its Event. */
interface Again {
  readonly afterMs: number;
  readonly why: string;
}

/** Requests of one decision to different objects at the same time. */
const SIDE_BY_SIDE = 8;

export interface WriteContext extends EventContext {
  /**
   * Called with the answers to the evictions of the decision; the decision that it returns is sent from there on. Without
   * it, the decision remains as it is: its evictions were answered earlier.
   */
  readonly settle?: ((answers: readonly EvictionAnswer[]) => AnyDecision) | undefined;
}

/**
 * Sends a decision: issue, create, patch, evict, apply, delete, events, then the patches that remove a finalizer. Nothing
 * follows an issue or a create that failed: a status must not name an object that does not exist. No Pod is evicted, and
 * nothing else sent, when a patch before that has failed. A finalizer is kept when anything before it failed that must
 * not fail, or that comes back. Nothing is sent for an apply that changes nothing (F-07). Errors of `settle` are passed on.
 */
export async function writeDecision(given: AnyDecision, context: WriteContext): Promise<Written> {
  const { function: fn, object } = context;
  const sender = createSender(context);
  const patches = mergeByTarget(given.patch ?? []);
  const last = patches.filter(removesFinalizer);
  let decision = given;
  const written = (): Written => ({ ...sender.written(), decision });
  await sendIssues(given, sender, context);
  if (sender.written().error === undefined) await sender.all((decision.create ?? []).map(toCreate));
  if (sender.written().error !== undefined) return written();
  await sender.all(patches.filter((patch) => !removesFinalizer(patch)).map(toPatch));
  if (decision.evict !== undefined) {
    if (sender.written().error !== undefined) return written();
    const answers = await sender.evict(decision.evict.pods);
    if (answers === undefined) return written();
    decision = context.settle?.(answers) ?? decision;
  }
  const status = decision.apply === undefined ? [] : ownStatus(fn, object, decision.apply);
  await sender.all([...status, ...(decision.applyOn ?? [])].map(toApply));
  await sender.all((decision.delete ?? []).map(toDelete));
  await sendEvents([...(decision.events ?? []), ...sender.events()], context);
  if (mayRelease(sender.written())) await sender.all(last.map(toPatch));
  return written();
}

/** Whether nothing before a finalizer has failed that it waits for. */
function mayRelease({ error, again }: Pick<Written, "error" | "again">): boolean {
  return error === undefined && again === undefined;
}

/** One after the other, until one fails: a kubeconfig is signed by the authority that was issued before it. */
async function sendIssues(
  { issue: issues = [] }: AnyDecision,
  sender: ReturnType<typeof createSender>,
  { issuer, clock, function: fn }: EventContext,
): Promise<void> {
  for (const issue of issues) {
    assert(issuer !== undefined, `${fn.spec.name} issues a Secret in a process that may make none`);
    await sender.all([issueWrite(issue, issuer, clock)]);
    if (sender.written().error !== undefined) return;
  }
}

/** One request about one object, with what the decision says about this write alone. */
interface Send extends Pick<FailedWrite, "ref" | "verb">, Pick<GuardedDelete, "ifFails"> {
  readonly request: (client: KubeClient) => Promise<KubeObject | undefined>;
  /** Recorded in place of the body. */
  readonly recordedAs?: object;
  /** An Event about this write, once it was accepted. */
  readonly announces?: Notice | undefined;
}

function createSender(context: EventContext): {
  all(sends: readonly Send[]): Promise<void>;
  /** One answer for each Pod; undefined when the run itself has ended meanwhile. */
  evict(pods: readonly PodEviction[]): Promise<readonly EvictionAnswer[] | undefined>;
  /** Events about single writes: accepted ones, and failures of those that may fail, the first of each reason. */
  events(): readonly Notice[];
  written(): Omit<Written, "decision">;
} {
  const { signal, clients, function: fn } = context;
  const fences: Fence[] = [];
  let requests = 0;
  let firstError: unknown;
  let again: Again | undefined;
  const tolerated = new Map<string, Notice>();
  const accepted: Notice[] = [];
  /** Its failure, if any. */
  async function send({ ref, verb, request, recordedAs }: Send): Promise<unknown> {
    const client = () => clients.of(ref.cluster, fn.spec.name, { recordedAs });
    try {
      signal.throwIfAborted();
      requests += 1;
      const result = await request(client());
      const resourceVersion = result?.metadata?.resourceVersion;
      if (resourceVersion !== undefined) fences.push(fenceOf(ref, resourceVersion));
      return undefined;
    } catch (failure) {
      // Not connected: nothing was sent.
      if (failure instanceof WaitingError) requests -= 1;
      const { error, fence } = await judgeFailedWrite({ ref, verb, error: failure }, client);
      if (fence !== undefined) fences.push(fence);
      return error;
    }
  }
  const note = ({ ifFails, announces }: Send, error: unknown): void => {
    if (error === undefined) {
      if (announces !== undefined) accepted.push(announces);
      return;
    }
    if (ifFails === undefined || !isOfServer(error)) {
      firstError ??= error;
      return;
    }
    const { event, againAfterMs } = ifFails;
    if (againAfterMs !== undefined) again = { afterMs: againAfterMs, why: event };
    const notice = noticeOf(error, event);
    if (notice !== undefined && !tolerated.has(event)) tolerated.set(event, notice);
  };
  return {
    async all(sends) {
      let queue = [...sends];
      const lane = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const error = await send(next);
          note(next, error);
          // Each further one would take as long: together longer than the run may.
          if (next.ifFails !== undefined && isSilence(error))
            queue = queue.filter(({ ifFails }) => ifFails === undefined);
        }
      };
      await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, queue.length) }, lane));
    },
    async evict(pods) {
      try {
        const sent = await sendEvictions(pods, context);
        requests += sent.requests;
        return sent.answers;
      } catch (error) {
        firstError ??= error;
        return undefined;
      }
    },
    events: () => [...accepted, ...tolerated.values()],
    written: () => ({ requests, fences, error: firstError, again }),
  };
}

/** Not the end of the run itself: its lease is lost, or its time is over. */
function isOfServer(failure: unknown): boolean {
  return failure instanceof KubeError || failure instanceof WaitingError;
}

function isSilence(failure: unknown): boolean {
  return failure instanceof KubeError && failure.reason === "NoAnswer";
}

/** A lost race is not reported: the next run sees who won it. */
function noticeOf(failure: unknown, reason: string): Notice | undefined {
  return failure instanceof KubeError && failure.class !== "Conflict"
    ? { type: "Warning", reason, message: failure.message }
    : undefined;
}

function toCreate({ kind, object, cluster, ifFails, announces }: NewObject): Send {
  const ref = { ...refTo(kind, object, cluster), resourceVersion: undefined };
  const request: Send["request"] = (client) => client.create(kind, object);
  return { ref, verb: "create", request, announces, ...(ifFails === undefined ? {} : { ifFails }) };
}

function toPatch({ target, operations, subresource }: GuardedPatch): Send {
  const guards: PatchOperation[] = [{ op: "test", path: "/metadata/uid", value: target.uid }];
  if (target.resourceVersion !== undefined) {
    guards.push({ op: "test", path: "/metadata/resourceVersion", value: target.resourceVersion });
  }
  const request: Send["request"] = (client) =>
    client.jsonPatch(target.kind, target, [...guards, ...operations], subresource);
  return { ref: target, verb: "patch", request };
}

function toDelete({ target, ifFails }: GuardedDelete): Send {
  const preconditions = { uid: target.uid ?? "", resourceVersion: target.resourceVersion };
  const request: Send["request"] = (client) => client.delete(target.kind, target, preconditions);
  return { ref: target, verb: "delete", request, ...(ifFails === undefined ? {} : { ifFails }) };
}

function toApply({ target, body, subresource }: AppliedObject): Send {
  const { uid, resourceVersion } = target;
  const identity = identityOf(target);
  // The labels or owner references of the body stand beside the identity, they do not replace it.
  const metadata = { ...(body["metadata"] as Json | undefined), ...identity.metadata, uid, resourceVersion };
  const request: Send["request"] = (client) =>
    client.apply(target.kind, target, { ...body, ...identity, metadata }, subresource);
  return { ref: target, verb: "apply", request };
}

/**
 * The status of the reconciled object as this function owns it, when anything of it differs from the
 * snapshot.
 * Differs: KW-03 asks for one unconditional apply per object and function after a restart, to assert
 * ownership again.
 * Functions do not know when a process starts, and it would be a write per object, function and worker.
 * Ownership is lost only to a write that changes the value, and that brings the key back.
 */
function ownStatus(
  { spec }: AnyFunction,
  object: KubeObject,
  applied: NonNullable<AnyDecision["apply"]>,
): readonly AppliedObject[] {
  const unchanged = Object.entries(applied).every(([path, value]) => sameJson(valueAt(object, path), value));
  if (unchanged) return [];
  const body: Json = {};
  for (const [path, value] of Object.entries(applied)) {
    if (value !== undefined) place(body, segmentsOf(path), value);
  }
  return [{ target: refTo(spec.reconciles, object), subresource: "status", body }];
}

function identityOf(ref: ObjectRef): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Json;
} {
  const metadata = { name: ref.name, ...(ref.kind.namespaced ? { namespace: ref.namespace } : {}) };
  return { apiVersion: apiVersionOf(ref.kind), kind: ref.kind.kind, metadata };
}

type Json = { [field: string]: unknown };

function place(body: Json, [head = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    body[head] = value;
    return;
  }
  const inner: Json = { ...(body[head] as Json | undefined) };
  body[head] = inner;
  place(inner, rest, value);
}

function mergeByTarget(patches: readonly GuardedPatch[]): readonly GuardedPatch[] {
  const merged = new Map<string, GuardedPatch>();
  for (const patch of patches) {
    const { target, operations, subresource = "" } = patch;
    if (operations.length === 0) continue;
    const text = `${target.cluster} ${target.kind.group}/${target.kind.kind} ${target.namespace}/${target.name} ${subresource} ${removesFinalizer(patch)}`;
    const known = merged.get(text);
    merged.set(
      text,
      known === undefined ? patch : { ...known, operations: [...known.operations, ...operations] },
    );
  }
  return [...merged.values()];
}

function removesFinalizer({ operations }: GuardedPatch): boolean {
  return operations.some(
    (operation) => operation.op === "remove" && operation.path.startsWith("/metadata/finalizers"),
  );
}
