import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../../../shared/api/patch.ts";
import { isDeleting } from "../../../../shared/function/guards.ts";
import { conditionOf } from "../../../../shared/rules/conditions/conditions.ts";
import type { Placed } from "./server.ts";

/** A view of the servers by which the limit does not hold. */
export interface Defect {
  readonly name: string;
  /** The answer to a live list. */
  readonly list?: (asked: Asked) => readonly KubeObject[];
  /** The snapshots of a run. */
  readonly snapshots?: (placed: readonly Placed[]) => readonly Placed[];
  /** A patch as it is carried out; `stored`: as a snapshot shows it when the write is carried out. */
  readonly patch?: (
    operations: readonly PatchOperation[],
    stored: KubeObject | undefined,
  ) => readonly PatchOperation[];
}

interface Asked {
  readonly kind: string;
  readonly objects: readonly KubeObject[];
}

export const DEFECTS: readonly Defect[] = [
  {
    name: "the version of a snapshot tested in place of the live list's",
    patch: (operations, stored) =>
      operations.some(handsOver) ? inVersionOf(operations, stored) : operations,
  },
  {
    name: "places counted without left-overs",
    list: ({ kind, objects }) => (kind === Machine.kind ? objects.map(withoutLeftOver) : objects),
    snapshots: (placed) =>
      placed.map((one) =>
        one.object.kind === Machine.kind ? { ...one, object: withoutLeftOver(one.object) } : one,
      ),
  },
  {
    name: "a place given back at recovery",
    list: ({ objects }) => objects.flatMap(recovered),
    snapshots: (placed) =>
      placed.flatMap((one) => recovered(one.object).map((object) => ({ ...one, object }))),
  },
];

function handsOver(operation: PatchOperation): boolean {
  if (operation.op === "test" || operation.op === "remove") return false;
  const { type, status } = operation.value as { readonly type?: string; readonly status?: string };
  return type === "OwnerRemediated" && status === "False";
}

function inVersionOf(
  operations: readonly PatchOperation[],
  stored: KubeObject | undefined,
): readonly PatchOperation[] {
  return operations.flatMap((operation): readonly PatchOperation[] => {
    if (operation.path === "/metadata/resourceVersion") {
      return [{ op: "test", path: operation.path, value: stored?.metadata.resourceVersion }];
    }
    return operation.op === "test" && operation.path.startsWith("/status") ? [] : [operation];
  });
}

/** The condition stands last in its list, so that patches count right without it. */
function withoutLeftOver(object: KubeObject): KubeObject {
  const { status } = object as Machine;
  if (conditionOf(status?.conditions, "HealthCheckSucceeded")?.status !== "True") return object;
  const conditions = status?.conditions?.filter(({ type }) => type !== "OwnerRemediated");
  return { ...object, status: { ...status, conditions } } as KubeObject;
}

/**
 * Without a request that is being deleted, which stays until its controller has let go, and without the mark of one that
 * may still land. The mark keeps its index, so that patches count right.
 */
function recovered(object: KubeObject): readonly KubeObject[] {
  if (object.kind === "FooRemediation") return isDeleting(object) ? [] : [object];
  if (object.kind !== Machine.kind) return [object];
  const { status } = object as Machine;
  if (conditionOf(status?.conditions, "HealthCheckSucceeded")?.status !== "True") return [object];
  const conditions = status?.conditions?.map((one) =>
    one.type === "ExternallyRemediated" ? { ...one, type: "ExternallyRemediate_" } : one,
  );
  return [{ ...object, status: { ...status, conditions } } as KubeObject];
}
