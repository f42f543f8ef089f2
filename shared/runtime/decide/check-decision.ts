import { Secret } from "../../api/core.ts";
import { type Kind, type KubeObject, MANAGEMENT, type ObjectRef } from "../../api/kinds.ts";
import { pointerSegments, segmentsOf } from "../../api/path.ts";
import { Pod } from "../../api/workload.ts";
import type { ContractKind } from "../../contract/contract-kind.ts";
import type { AnyDecision, AnyFunction, GuardedPatch, NewObject } from "../../function/define-function.ts";
import { isContractKind } from "../../function/define-function.ts";
import { assert } from "../../function/errors.ts";
import { groupOf } from "../../function/groups.ts";
import type { Issue } from "../../function/issue.ts";
import type { Delivery } from "../../function/manifests.ts";
import { checkIndexes } from "../read/check-indexes.ts";
import type { RecordingReader } from "../read/reader.ts";
import { checkOwners } from "./check-owners.ts";
import { checkReach, reachOf } from "./reach.ts";

/**
 * Refuses a decision about an object that writes what the function does not own, deletes what it did not read live, counts
 * in a list of which it knows a part, calls what it does not declare, or reaches into another Namespace or Cluster. Such a
 * decision is a bug: nothing of it is sent and the key backs off.
 */
export function checkDecision(
  fn: AnyFunction,
  object: KubeObject,
  given: AnyDecision,
  read: RecordingReader,
): void {
  const create = (given.create ?? []).flatMap((made) => [made, ...(made.dependents ?? [])]);
  const decision = { ...given, create };
  checkApplies(fn, decision);
  for (const patch of decision.patch ?? []) checkPatch(fn, patch, read);
  for (const created of create) checkCreate(fn, created, read);
  for (const { target } of decision.delete ?? []) checkDelete(fn, target, read);
  for (const { target } of decision.evict?.pods ?? []) checkEviction(fn, target, read);
  for (const delivery of decision.deliver?.of ?? []) checkDelivery(fn, delivery, read);
  for (const issue of decision.issue ?? []) checkIssue(fn, issue, read);
  checkServers(fn, decision);
  checkOwners(fn, decision);
  checkReach(reachOf(fn, object), decision);
}

/** Refuses fields of others, also among those that the function says to have applied before: it may remove them. */
function checkApplies(fn: AnyFunction, { apply, own, applyOn = [] }: AnyDecision): void {
  const { name, owns } = fn.spec;
  for (const fields of [apply, own]) {
    const paths = Object.keys(fields ?? {});
    const isOwned = fields === undefined || sameMembers(paths, owns);
    assert(isOwned, `${name} applies ${paths.join(", ")} but owns ${owns.join(", ")}`);
  }
  for (const { target, body, own: before = {} } of applyOn) {
    for (const [field, value] of [body, before].flatMap(Object.entries<unknown>)) {
      assert(
        ownsAll(fn, target.kind, [field], value),
        `${name} applies ${field} of ${target.kind.kind}, which it does not own`,
      );
    }
  }
}

function checkCreate(fn: AnyFunction, { kind, ifRefused }: NewObject, read: RecordingReader): void {
  const { name, calls = [] } = fn.spec;
  assert(
    calls.some((call) => call.verb === "create" && covers(call.kind, kind)),
    `${name} creates a ${kind.kind} without declaring it`,
  );
  if (ifRefused !== undefined) checkPatch(fn, ifRefused, read);
}

function checkIssue({ spec }: AnyFunction, { secret, renew }: Issue, read: RecordingReader): void {
  const { name, calls = [] } = spec;
  const isDeclared = calls.some((call) => call.verb === "issue" && covers(call.kind, Secret));
  assert(isDeclared, `${name} issues a Secret without declaring it`);
  assert(
    renew === undefined || read.liveVersion(MANAGEMENT, Secret, secret) === renew.resourceVersion,
    `${name} renews Secret ${secret.name} without a live read`,
  );
}

function checkDelivery({ spec }: AnyFunction, { source }: Delivery, read: RecordingReader): void {
  const { name, delivers = [] } = spec;
  const isDeclared = delivers.some((kind) => covers(kind, source.kind)) && groupOf(spec) === "workload";
  assert(isDeclared, `${name} delivers manifests of a ${source.kind.kind} without declaring it`);
  const version = read.liveVersion(MANAGEMENT, source.kind, source);
  const isRead = version !== undefined && version === source.resourceVersion;
  assert(isRead, `${name} delivers ${source.kind.kind} ${source.name} without a live read`);
}

/** Only a worker of `workload` has clients of workload servers. Source: S-03 */
function checkServers({ spec }: AnyFunction, decision: AnyDecision): void {
  if (groupOf(spec) === "workload") return;
  const { create = [], patch = [], applyOn = [], delete: deletes = [], evict } = decision;
  const refused = create.flatMap(({ ifRefused }) => ifRefused ?? []);
  const targets = [...patch, ...refused, ...applyOn, ...deletes, ...(evict?.pods ?? [])].map(
    ({ target }) => target,
  );
  for (const { cluster } of [...create, ...targets]) {
    assert(
      cluster === MANAGEMENT,
      `${spec.name} writes to workload cluster ${cluster} and sets no maxRunningPerTenant`,
    );
  }
}

function checkPatch(fn: AnyFunction, patch: GuardedPatch, read: RecordingReader): void {
  const { target, operations } = patch;
  checkIndexes(fn, patch, read);
  assert(
    target.uid !== undefined,
    `${fn.spec.name} patches ${target.kind.kind} ${target.name} without its uid`,
  );
  for (const operation of operations) {
    if (operation.op === "test") continue;
    const segments = pointerSegments(operation.path);
    assert(
      operation.op === "add"
        ? ownsAll(fn, target.kind, segments, operation.value)
        : ownsField(fn, target.kind, segments),
      `${fn.spec.name} patches ${operation.path} of ${target.kind.kind}, which it does not own`,
    );
  }
}

function checkDelete(fn: AnyFunction, ref: ObjectRef, read: RecordingReader): void {
  checkProof(fn, "delete", ref, read);
}

function checkEviction(fn: AnyFunction, ref: ObjectRef, read: RecordingReader): void {
  assert(
    ref.kind.kind === Pod.kind && ref.kind.group === Pod.group,
    `${fn.spec.name} evicts ${ref.kind.kind} ${ref.name}, which is not a Pod`,
  );
  checkProof(fn, "evict", ref, read);
}

/** A write that ends an object names it by uid, and its run has seen the object on its server. */
function checkProof(
  { spec: { name, calls = [] } }: AnyFunction,
  verb: "delete" | "evict",
  ref: ObjectRef,
  read: RecordingReader,
): void {
  assert(
    calls.some((call) => call.verb === verb && covers(call.kind, ref.kind)),
    `${name} ${verb}s a ${ref.kind.kind} without declaring it`,
  );
  assert(ref.uid !== undefined, `${name} ${verb}s ${ref.kind.kind} ${ref.name} without its uid`);
  assert(
    read.readLive(ref.cluster, ref.kind, ref),
    `${name} ${verb}s ${ref.kind.kind} ${ref.name} without a live read`,
  );
}

/** A contract kind stands for whatever is referenced; a concrete kind for itself. */
export function covers(declared: Kind | ContractKind, kind: Kind): boolean {
  return isContractKind(declared) || (declared.group === kind.group && declared.kind === kind.kind);
}

/** Whether the function owns the field, or every field of the object that is placed there: room for what it owns. */
function ownsAll(fn: AnyFunction, kind: Kind, segments: readonly string[], value: unknown): boolean {
  if (ownsField(fn, kind, segments)) return true;
  if (typeof value !== "object" || value === null) return false;
  const members = Array.isArray(value) ? elementsOf(value) : Object.entries(value);
  return members.length === 0
    ? leadsToOwned(fn, kind, segments)
    : members.every(([field, member]) => ownsAll(fn, kind, [...segments, field], member));
}

/** The elements of a list by their type, as paths name them; an element without one has no owner. */
function elementsOf(list: readonly unknown[]): readonly (readonly [string, unknown])[] {
  return list.map((element) => [String(Object(element).type ?? ""), element]);
}

function ownsField(fn: AnyFunction, kind: Kind, segments: readonly string[]): boolean {
  return ownedPaths(fn, kind).some((owned) => owned.length <= segments.length && agree(segments, owned));
}

function leadsToOwned(fn: AnyFunction, kind: Kind, segments: readonly string[]): boolean {
  return ownedPaths(fn, kind).some((owned) => owned.length > segments.length && agree(segments, owned));
}

type Paths = readonly (readonly string[])[];
const pathsOf = new WeakMap<AnyFunction, Map<string, Paths>>();

/** Each operation of each patch asks: found once for a function and a kind. */
function ownedPaths(fn: AnyFunction, kind: Kind): Paths {
  const byKind = pathsOf.get(fn) ?? new Map<string, Paths>();
  pathsOf.set(fn, byKind);
  const text = `${kind.group}/${kind.kind}`;
  const known =
    byKind.get(text) ??
    (fn.spec.ownsOn ?? [])
      .filter((one) => covers(one.kind, kind))
      .flatMap(({ fields }) => fields.map(segmentsOf));
  byKind.set(text, known);
  return known;
}

const LIST_INDEX = /^(?:\d+|-)$/;

/** Whether both agree as far as they reach. A list index is any element: `/spec/taints/2` is in `spec.taints[a]`. */
function agree(segments: readonly string[], owned: readonly string[]): boolean {
  return owned.every((part, index) => {
    const segment = segments[index];
    return segment === undefined || segment === part || LIST_INDEX.test(segment);
  });
}

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((member) => b.includes(member));
}
