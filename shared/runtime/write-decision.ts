import { apiVersionOf, type KubeObject, MANAGEMENT, type ObjectRef, refTo } from "../api/kinds.ts";
import type { AnyDecision, AnyFunction, AppliedObject, GuardedPatch, NewObject } from "./define-function.ts";
import { KubeError, WaitingError } from "./errors.ts";
import { sameJson, segmentsOf, valueAt } from "./path.ts";
import type { PatchOperation } from "./ports.ts";
import type { Fence } from "./queue-port.ts";
import { type EventContext, sendEvents } from "./send-events.ts";

/** What was sent and what came back. */
export interface Written {
  /** Write requests sent, Events not counted. */
  readonly requests: number;
  /** Versions that the next run of the key must not go back behind. */
  readonly fences: readonly Fence[];
  /** The first failure, if any; everything that does not depend on it was still attempted. */
  readonly error: unknown;
}

/** Requests of one decision to different objects at the same time. */
const SIDE_BY_SIDE = 8;

/**
 * Sends a decision: create, patch, apply, delete, events, then the patches that remove a finalizer. Nothing follows a
 * create that failed: a status must not tell of an object that does not exist. A finalizer is kept when anything
 * before it failed, unless the decision releases it anyway. Nothing is sent for an apply that changes nothing (F-07).
 */
export async function writeDecision(decision: AnyDecision, context: EventContext): Promise<Written> {
  const sender = createSender(context);
  const patches = mergeByTarget(decision.patch ?? []);
  const last = patches.filter(removesFinalizer);
  await sender.all((decision.create ?? []).map((made) => () => sendCreate(made, context)));
  if (sender.written().error !== undefined) return sender.written();
  await sender.all(
    patches.filter((patch) => !removesFinalizer(patch)).map((patch) => () => sendPatch(patch, context)),
  );
  await sender.all(applies(decision, context));
  await sender.all((decision.delete ?? []).map((ref) => () => sendDelete(ref, context)));
  await sendEvents(decision.events ?? [], context);
  if (sender.written().error === undefined || decision.releaseAnyway === true)
    await sender.all(last.map((patch) => () => sendPatch(patch, context)));
  return sender.written();
}

type Send = () => Promise<{ readonly ref: ObjectRef; readonly result: KubeObject | undefined }>;

function createSender({ signal }: EventContext): {
  all(sends: readonly Send[]): Promise<void>;
  written(): Written;
} {
  const fences: Fence[] = [];
  let requests = 0;
  let firstError: unknown;
  async function send(one: Send): Promise<void> {
    try {
      signal.throwIfAborted();
      requests += 1;
      const { ref, result } = await one();
      const resourceVersion = result?.metadata?.resourceVersion;
      if (resourceVersion !== undefined) fences.push(fenceOf(ref, resourceVersion));
    } catch (error) {
      // Not connected: nothing was sent.
      if (error instanceof WaitingError) requests -= 1;
      firstError ??= error;
      const lost = lostRace(error);
      if (lost !== undefined) fences.push(lost);
    }
  }
  return {
    async all(sends) {
      const queue = [...sends];
      const lane = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) await send(next);
      };
      await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, queue.length) }, lane));
    },
    written: () => ({ requests, fences, error: firstError }),
  };
}

const targets = new WeakMap<object, ObjectRef>();

/** Remembers which object a failed write was for, so that the next run waits for a newer snapshot of it. */
async function tracked(ref: ObjectRef, request: Promise<KubeObject | undefined>): ReturnType<Send> {
  try {
    return { ref, result: await request };
  } catch (error) {
    if (error instanceof KubeError) targets.set(error, ref);
    throw error;
  }
}

function lostRace(error: unknown): Fence | undefined {
  if (!(error instanceof KubeError) || error.class !== "Conflict") return undefined;
  const ref = targets.get(error);
  if (ref?.resourceVersion === undefined) return undefined;
  return { ...fenceOf(ref, ref.resourceVersion), newerThan: true };
}

function fenceOf(ref: ObjectRef, resourceVersion: string): Fence {
  const { cluster, namespace, name, kind } = ref;
  return { cluster, namespace, name, group: kind.group, kind: kind.kind, resourceVersion };
}

function sendCreate(
  { kind, object, cluster }: NewObject,
  { clients, function: fn }: EventContext,
): ReturnType<Send> {
  const ref = { ...refTo(kind, object, cluster), resourceVersion: undefined };
  return tracked(ref, clients.of(cluster, fn.spec.name).create(kind, object));
}

function sendPatch(
  { target, operations }: GuardedPatch,
  { clients, function: fn }: EventContext,
): ReturnType<Send> {
  const guards: PatchOperation[] = [{ op: "test", path: "/metadata/uid", value: target.uid }];
  if (target.resourceVersion !== undefined) {
    guards.push({ op: "test", path: "/metadata/resourceVersion", value: target.resourceVersion });
  }
  const client = clients.of(target.cluster, fn.spec.name);
  return tracked(target, client.jsonPatch(target.kind, target, [...guards, ...operations]));
}

function sendDelete(ref: ObjectRef, { clients, function: fn }: EventContext): ReturnType<Send> {
  const client = clients.of(ref.cluster, fn.spec.name);
  const preconditions = { uid: ref.uid ?? "", resourceVersion: ref.resourceVersion };
  return tracked(ref, client.delete(ref.kind, ref, preconditions));
}

function applies(decision: AnyDecision, context: EventContext): readonly Send[] {
  const { function: fn, object, clients } = context;
  const own = decision.apply === undefined ? [] : ownApply(fn, object, decision.apply);
  const foreign = (decision.applyOn ?? []).map((applied) => () => sendApply(applied, context));
  return [
    ...own.map((body) => () => {
      const ref = refTo(fn.spec.reconciles, object);
      return tracked(ref, clients.of(MANAGEMENT, fn.spec.name).apply(ref.kind, ref, body, "status"));
    }),
    ...foreign,
  ];
}

function sendApply(
  { target, body, subresource }: AppliedObject,
  { clients, function: fn }: EventContext,
): ReturnType<Send> {
  const { uid, resourceVersion } = target;
  const identity = identityOf(target);
  // The labels or owner references of the body stand beside the identity, they do not replace it.
  const metadata = { ...(body["metadata"] as Json | undefined), ...identity.metadata, uid, resourceVersion };
  const client = clients.of(target.cluster, fn.spec.name);
  return tracked(target, client.apply(target.kind, target, { ...body, ...identity, metadata }, subresource));
}

/** The body of the status apply, with the uid and resourceVersion of its snapshot; empty when nothing changes. */
function ownApply(
  fn: AnyFunction,
  object: KubeObject,
  applied: { readonly [path: string]: unknown },
): readonly object[] {
  const unchanged = Object.entries(applied).every(([path, value]) => sameJson(valueAt(object, path), value));
  if (unchanged) return [];
  const ref = refTo(fn.spec.reconciles, object);
  const { uid, resourceVersion } = ref;
  const identity = identityOf(ref);
  const body: Json = { ...identity, metadata: { ...identity.metadata, uid, resourceVersion } };
  for (const [path, value] of Object.entries(applied)) {
    if (value !== undefined) place(body, segmentsOf(path), value);
  }
  return [body];
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
    const { target, operations } = patch;
    if (operations.length === 0) continue;
    const text = `${target.cluster} ${target.kind.group}/${target.kind.kind} ${target.namespace}/${target.name} ${removesFinalizer(patch)}`;
    const known = merged.get(text);
    merged.set(
      text,
      known === undefined ? patch : { target, operations: [...known.operations, ...operations] },
    );
  }
  return [...merged.values()];
}

function removesFinalizer({ operations }: GuardedPatch): boolean {
  return operations.some(
    (operation) => operation.op === "remove" && operation.path.startsWith("/metadata/finalizers"),
  );
}
