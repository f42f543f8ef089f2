import { apiVersionOf, type KubeObject, type ObjectRef, refTo } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";
import type {
  AppliedObject,
  GuardedDelete,
  GuardedPatch,
  NewObject,
} from "../../function/define-function.ts";
import { KubeError } from "../../function/errors.ts";
import type { KubeClient } from "../ports.ts";
import type { FailedWrite } from "./failed-write.ts";
import { endOfEntries, FIRST_APPLY } from "./field-managers.ts";
import { leftBehind } from "./left-behind.ts";

type Accepted = (answer: KubeObject) => void;

/** One request about one object, with what the decision says about this write alone. */
export interface WriteRequest
  extends Pick<FailedWrite, "ref" | "verb">,
    Pick<NewObject, "ifFails" | "ifRefused" | "announces" | "dependents"> {
  /** Calls `accepted` with an answer before it sends another request, which may fail. */
  readonly request: (client: KubeClient, accepted?: Accepted) => Promise<KubeObject | undefined>;
  /** Recorded in place of the body. */
  readonly recordedAs?: object;
  /** Whether, at a delete, what follows waits for the end of the object. */
  readonly mustEnd?: true;
}

export function toCreate({ kind, object, cluster, ...options }: NewObject): WriteRequest {
  const ref = { ...refTo(kind, object, cluster), uid: undefined, resourceVersion: undefined };
  const request: WriteRequest["request"] = (client) => client.create(kind, object);
  return { ...options, ref, verb: "create", request };
}

export function toPatch(patch: GuardedPatch): WriteRequest {
  const { target, operations, subresource, ifFails, ...options } = patch;
  const guards: PatchOperation[] = [{ op: "test", path: "/metadata/uid", value: target.uid }];
  if (target.resourceVersion !== undefined) {
    guards.push({ op: "test", path: "/metadata/resourceVersion", value: target.resourceVersion });
  }
  const request: WriteRequest["request"] = (client) =>
    client.jsonPatch(target.kind, target, [...guards, ...operations], subresource);
  const mayFail = ifFails === undefined ? {} : { ifFails: reported(ifFails, target) };
  return { ...options, ...mayFail, ref: target, verb: "patch", request };
}

function reported(
  ifFails: NonNullable<GuardedPatch["ifFails"]>,
  target: ObjectRef,
): NonNullable<WriteRequest["ifFails"]> {
  return ifFails.says === undefined ? { ...ifFails, about: identityIn(target) } : ifFails;
}

/** The subject of an Event about a write. */
function identityIn(target: ObjectRef): KubeObject {
  const { apiVersion, kind, metadata } = identityOf(target);
  return { apiVersion, kind, metadata: { ...metadata, name: target.name, uid: target.uid } };
}

export function toDelete({ target, ...options }: GuardedDelete): WriteRequest {
  const preconditions = { uid: target.uid ?? "", resourceVersion: target.resourceVersion };
  const request: WriteRequest["request"] = (client) => client.delete(target.kind, target, preconditions);
  return { ...options, ref: target, verb: "delete", request };
}

export function toApply(
  { target, body, own = {}, subresource }: AppliedObject,
  manager: string,
): WriteRequest {
  const { kind, uid, resourceVersion } = target;
  const identity = identityOf(target);
  // The labels or owner references of the body stand beside the identity, they do not replace it.
  const metadata = { ...(body["metadata"] as Json | undefined), ...identity.metadata, uid };
  const apply = (client: KubeClient, version: string | undefined): Promise<KubeObject> => {
    const sent = { ...body, ...identity, metadata: { ...metadata, resourceVersion: version } };
    return client.apply(kind, target, sent, subresource);
  };
  const leftIn = (found: KubeObject): readonly PatchOperation[] => leftBehind({ own, body, manager }, found);
  const request: WriteRequest["request"] = async (client, accepted) => {
    const patch = async (
      found: KubeObject,
      operations: readonly PatchOperation[],
      at?: typeof subresource,
    ): Promise<KubeObject> => {
      if (operations.length === 0) return found;
      accepted?.(found);
      const { resourceVersion: value } = found.metadata;
      const guard = { op: "test", path: "/metadata/resourceVersion", value } as const;
      return client.jsonPatch(kind, target, [guard, ...operations], at);
    };
    try {
      const answer = await apply(client, resourceVersion);
      const tidied = await patch(answer, leftIn(answer), subresource);
      return await patch(tidied, endOfFirstApply(tidied)).catch(unlessForbidden(tidied));
    } catch (error) {
      // Of what it gives up a part would stay, without which the rest is not valid.
      if (!isInvalid(error) || resourceVersion === undefined) throw error;
      const found = await client.get(kind, target);
      if (found?.metadata.resourceVersion !== resourceVersion) throw error;
      const left = leftIn(found);
      if (left.length === 0) throw error;
      const tidied = await patch(found, left, subresource);
      accepted?.(tidied);
      return apply(client, tidied.metadata.resourceVersion);
    }
  };
  return { ref: target, verb: "apply", request };
}

/**
 * Ends the manager to which the server gives all that an object without managedFields has: it would hold it for ever, beside
 * the managers that apply it. Source: internal/util/ssa/managedfields.go.
 */
function endOfFirstApply(answer: KubeObject): readonly PatchOperation[] {
  return endOfEntries(answer, (entry) => entry.manager === FIRST_APPLY);
}

/** Through a subresource the server takes no managedFields, and not every account may patch more than the status. */
function unlessForbidden(tidied: KubeObject): (error: unknown) => KubeObject {
  return (error) => {
    if (error instanceof KubeError && error.status === 403) return tidied;
    throw error;
  };
}

function isInvalid(error: unknown): boolean {
  return error instanceof KubeError && error.reason === "Invalid" && error.class === "Terminal";
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
