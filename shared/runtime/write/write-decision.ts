import { Secret } from "../../api/core.ts";
import { apiVersionOf, type KubeObject, MANAGEMENT, type ObjectRef, refTo } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { sameJson, segmentsOf, valueAt } from "../../api/path.ts";
import type {
  AnyDecision,
  AnyFunction,
  AppliedObject,
  GuardedPatch,
} from "../../function/define-function.ts";
import { assert } from "../../function/errors.ts";
import type { EvictionAnswer } from "../../function/evictions.ts";
import { ISSUED_SECRET_TYPE, type Issue } from "../../function/issue.ts";
import type { DeliveryAnswer } from "../../function/manifests.ts";
import { labelsPatch } from "../../rules/metadata/labels.ts";
import type { Clock, Issuer } from "../ports.ts";
import type { LimitContext } from "./deletion-limit.ts";
import { type EventContext, sendEvents } from "./send-events.ts";
import { createSender, type Sender, type Sent } from "./sender.ts";
import { servedPart } from "./served-part.ts";
import { toApply, toCreate, toDelete, toPatch, type WriteRequest } from "./write-request.ts";

type Data = NonNullable<Secret["data"]>;

/** One request of `Decision.issue`. The data that it sends is in no record of the run. */
type IssueWrite = Required<Pick<WriteRequest, "ref" | "verb" | "request" | "recordedAs">>;

/** Requests and answers. */
export interface Written extends Sent {
  /** The decision, with what its evictions were answered and what follows from that. */
  readonly decision: AnyDecision;
}

/** Answers to the evictions or to the deliveries of a decision, which has only one of the two. */
export type Answers = readonly EvictionAnswer[] | readonly DeliveryAnswer[];

export interface WriteContext extends EventContext, LimitContext {
  /**
   * Called with the answers to the evictions or deliveries of the decision; the decision that it returns is sent from
   * there on. Without it, the decision remains as it is: they were answered earlier.
   */
  readonly settle?: ((answers: Answers) => AnyDecision) | undefined;
}

type Json = { [field: string]: unknown };

/**
 * Sends a decision: deliver, issue, first patches, create, dependents, patch, evict, apply, delete, events, then last
 * patches and those that remove a finalizer. Nothing follows an issue, a first patch or a create that failed: a status must
 * not name an object that does not exist. No Pod is evicted, and nothing else sent, when a patch before that has failed. A
 * last patch is left out, and a finalizer kept, when anything before it failed that must not fail, or that comes back. A
 * create that was refused may bring a patch of its own. Nothing is sent for an apply that changes nothing. Errors of
 * `settle` are passed on.
 */
export async function writeDecision(given: AnyDecision, context: WriteContext): Promise<Written> {
  const { function: fn, object } = context;
  const sender = createSender(context);
  let decision = await delivered(given, sender, context);
  const written = (): Written => ({ ...sender.sent(), decision });
  if (sender.sent().error === undefined) await sendIssues(decision, sender, context);
  const { first, others } = inTurns(decision.patch, ({ order }) => order === "first");
  if (sender.sent().error === undefined) await sender.all(mergePatches(first).map(toPatch));
  if (sender.sent().error === undefined) await sender.all((decision.create ?? []).map(toCreate));
  if (sender.sent().error === undefined) await sender.all(sender.dependents().map(toCreate));
  if (sender.sent().error !== undefined) return written();
  const patches = mergePatches([...others, ...sender.refused()]);
  const isLast = (patch: GuardedPatch) => patch.order === "last" || removesFinalizer(patch);
  const last = patches.filter(isLast);
  await sender.all(patches.filter((patch) => !isLast(patch)).map(toPatch));
  if (decision.evict !== undefined) {
    if (sender.sent().error !== undefined) return written();
    const answers = await sender.evict(decision.evict.pods);
    if (answers === undefined) return written();
    decision = context.settle?.(answers) ?? decision;
  }
  const status = await ownStatus(fn, object, decision, context);
  const applied = [...status, ...(decision.applyOn ?? [])];
  await sender.all(applied.map((each) => toApply(each, `capstan-${fn.spec.name}`)));
  await sendDeletes(decision, sender);
  await sendEvents([...(decision.events ?? []), ...sender.events()], context);
  if (mayRelease(sender.sent())) await sender.all(last.map(toPatch));
  return written();
}

/**
 * The status of the reconciled object as this function owns it, when anything of it differs from the snapshot. Ownership
 * is not asserted again after a restart, which would be a write per object, function and worker: it matters when a field
 * is given up, and the answer shows then that it was lost (left-behind.ts).
 */
export async function ownStatus(
  { spec }: AnyFunction,
  object: KubeObject,
  { apply, own }: Pick<AnyDecision, "apply" | "own">,
  { store }: Pick<WriteContext, "store">,
): Promise<readonly AppliedObject[]> {
  if (apply === undefined) return [];
  const stored = Object.fromEntries(Object.keys(apply).map((path) => [path, valueAt(object, path)]));
  if (sameJson(stored, apply)) return [];
  const body = await servedPart(bodyOf(apply), spec.reconciles, store);
  if (sameJson(bodyOf(stored), body)) return [];
  const target = refTo(spec.reconciles, object);
  return [{ target, subresource: "status", body, own: bodyOf(own ?? stored) }];
}

function bodyOf(values: NonNullable<AnyDecision["apply"]>): Json {
  const body: Json = {};
  for (const [path, value] of Object.entries(values)) {
    if (value !== undefined) place(body, segmentsOf(path), value);
  }
  return body;
}

function place(body: Json, [head = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    body[head] = value;
    return;
  }
  const inner: Json = { ...(body[head] as Json | undefined) };
  body[head] = inner;
  place(inner, rest, value);
}

/**
 * Returns the patches of one object as one request; those without operations are left out, and one that removes a
 * finalizer, or has other options, stays apart.
 */
export function mergePatches(patches: readonly GuardedPatch[]): readonly GuardedPatch[] {
  const merged = new Map<string, GuardedPatch>();
  for (const patch of patches) {
    const { target, operations, subresource = "", ...options } = patch;
    if (operations.length === 0) continue;
    const text = `${JSON.stringify(options)} ${target.cluster} ${target.kind.group}/${target.kind.kind} ${target.namespace}/${target.name} ${subresource} ${removesFinalizer(patch)}`;
    const known = merged.get(text);
    merged.set(
      text,
      known === undefined ? patch : { ...known, operations: [...known.operations, ...operations] },
    );
  }
  return [...merged.values()];
}

/** Whether a patch may be the end of its object. */
function removesFinalizer({ operations }: GuardedPatch): boolean {
  return operations.some(
    (operation) => operation.op === "remove" && operation.path.startsWith("/metadata/finalizers"),
  );
}

/** The decision after its deliveries; without an answer the run itself has ended. */
async function delivered(
  decision: AnyDecision,
  sender: Sender,
  { settle }: WriteContext,
): Promise<AnyDecision> {
  if (decision.deliver === undefined || decision.deliver.answers !== undefined) return decision;
  const answers = await sender.deliver(decision.deliver.of);
  return answers === undefined ? decision : (settle?.(answers) ?? decision);
}

/** Returns the writes that go first, and the others, each in their order. */
function inTurns<T>(writes: readonly T[] = [], goesFirst: (write: T) => boolean) {
  const { first = [], others = [] } = Object.groupBy(writes, (write) =>
    goesFirst(write) ? "first" : "others",
  );
  return { first, others };
}

/** Whether nothing before a finalizer has failed that it waits for. */
function mayRelease({ error, again, stays }: Sent): boolean {
  return error === undefined && again === undefined && !stays;
}

/** Those that must end one after the other, in their order, until one stays; behind them the others, side by side. */
async function sendDeletes({ delete: deletes }: AnyDecision, sender: Sender): Promise<void> {
  const { first, others } = inTurns(deletes, ({ mustEnd }) => mustEnd === true);
  for (const one of first) {
    await sender.all([toDelete(one)]);
    if (!mayRelease(sender.sent())) return;
  }
  await sender.all(others.map(toDelete));
}

/** One after the other, until one fails: a kubeconfig is signed by the authority that was issued before it. */
async function sendIssues(
  { issue: issues = [] }: AnyDecision,
  sender: Sender,
  { issuer, clock, function: fn }: EventContext,
): Promise<void> {
  for (const issue of issues) {
    assert(issuer !== undefined, `${fn.spec.name} issues a Secret in a process that may make none`);
    await sender.all([issueWrite(issue, issuer, clock)]);
    if (sender.sent().error !== undefined) return;
  }
}

/** Makes the keys when its turn has come, and creates the Secret or replaces its data keys and sets its labels. */
function issueWrite(issue: Issue, issuer: Issuer, clock: Pick<Clock, "now">): IssueWrite {
  const { secret, renew } = issue;
  const read = renew && { uid: renew.uid, resourceVersion: renew.resourceVersion };
  const ref: ObjectRef = { cluster: MANAGEMENT, kind: Secret, ...secret, ...read };
  return {
    ref,
    verb: renew === undefined ? "create" : "patch",
    recordedAs: { issue },
    async request(client) {
      const readSecret = (key: typeof secret) => client.get(Secret, key);
      const data = await issuer.issue(issue.what, { now: clock.now(), read: readSecret });
      return renew === undefined
        ? client.create(Secret, newSecret(issue, data))
        : client.jsonPatch(Secret, secret, renewal({ ...renew, wanted: issue.labels }, data));
    },
  };
}

function newSecret({ secret, labels, owner }: Issue, data: Data): Secret {
  const metadata = { ...secret, labels, ownerReferences: [owner] };
  return { apiVersion: apiVersionOf(Secret), kind: Secret.kind, metadata, type: ISSUED_SECRET_TYPE, data };
}

function renewal(
  {
    uid,
    resourceVersion,
    labels,
    wanted,
  }: NonNullable<Issue["renew"]> & { readonly wanted: Issue["labels"] },
  data: Data,
): readonly PatchOperation[] {
  return [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    ...labelsPatch(labels, wanted),
    ...Object.entries(data).map(([key, value]): PatchOperation => {
      return { op: "add", path: `/data/${key}`, value };
    }),
  ];
}
