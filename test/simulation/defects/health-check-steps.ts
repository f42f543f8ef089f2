import type { KubeObject } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import type { AnyFunction, GuardedPatch } from "../../../shared/function/define-function.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { type Defect, patched, stepping } from "./defect.ts";
import { deciding } from "./steps.ts";

/** Defects of the functions of health checks. */
export const healthCheckStepDefects: readonly Defect[] = [
  {
    number: "D-07",
    title: "a health check ends at the first Machine of which it has something to say",
    target: { workload: "W-26", faults: [] },
    patch: () => ({
      function: (fn) =>
        deciding(fn, "mhc-machines", (decision) => ({
          ...decision,
          patch: (decision.patch ?? []).slice(0, 1),
        })),
    }),
  },
  {
    number: "D-09",
    title: "a recovery is not said where no request exists",
    target: { workload: "W-30", faults: [] },
    patch: () => ({
      function: (fn) =>
        deciding(fn, "mhc-machines", (decision) => ({
          ...decision,
          patch: (decision.patch ?? []).filter(({ operations }) => !operations.some(isRecovery)),
        })),
    }),
  },
  {
    number: "D-50",
    title: "places are counted without left-overs",
    target: { workload: "W-30", faults: [] },
    patch: () => ({ function: (fn) => listing(fn, ["mhc-machines"], (object) => [withoutLeftOver(object)]) }),
  },
  {
    number: "D-51",
    title: "a place is given back at recovery, while the request is still there",
    target: { workload: "W-28", faults: [] },
    patch: () => ({ function: (fn) => listing(fn, ["mhc-machines", "mhc-requests"], recovered) }),
  },
  {
    number: "D-52",
    title: "a hand-over tests the version of a snapshot in place of the live list's",
    target: { workload: "W-29", faults: ["X-13"], isTogether: true },
    patch: () => ({ function: (fn) => (fn.spec.name === "mhc-machines" ? testingSnapshots(fn) : fn) }),
  },
];

/** Functions of these names that find other objects in lists, of the read model and of servers, than there are. */
export function listing(
  fn: AnyFunction,
  names: readonly string[],
  change: (object: KubeObject) => readonly KubeObject[],
): AnyFunction {
  if (!names.includes(fn.spec.name)) return fn;
  const changed = <T extends Pick<Reader, "list"> | Pick<Reader["live"], "list">>(reader: T): T => {
    const { list } = reader as Pick<Reader, "list">;
    const lists = async (...asked: Parameters<Reader["list"]>) => (await list(...asked)).flatMap(change);
    return patched<object>(reader, { list: lists } as object) as T;
  };
  return stepping(fn, (object, { read, now }) => {
    const live = changed(read.live);
    return fn.step(object, { now, read: { ...changed(read), live } });
  });
}

interface Said {
  readonly type?: string;
  readonly status?: string;
}

function isRecovery(operation: PatchOperation): boolean {
  if (operation.op === "test" || operation.op === "remove") return false;
  const { type, status } = Object(operation.value) as Said;
  return type === "HealthCheckSucceeded" && status === "True";
}

function withoutLeftOver(object: KubeObject): KubeObject {
  return hasRecovered(object) ? without(object, "OwnerRemediated") : object;
}

/** Without a request that its controller has not let go, and without the mark of one that may still land. */
function recovered(object: KubeObject): readonly KubeObject[] {
  if (object.kind === "SimRemediation")
    return object.metadata.deletionTimestamp === undefined ? [object] : [];
  return [hasRecovered(object) ? without(object, "ExternallyRemediated") : object];
}

function hasRecovered(object: KubeObject): boolean {
  if (object.kind !== Machine.kind) return false;
  return conditionOf((object as Machine).status?.conditions, "HealthCheckSucceeded")?.status === "True";
}

/** The condition keeps its index, so that patches count right. */
function without(object: KubeObject, type: string): KubeObject {
  const { status } = object as Machine;
  const conditions = status?.conditions?.map((one) =>
    one.type === type ? { ...one, type: `${type}_` } : one,
  );
  return { ...object, status: { ...status, conditions } } as KubeObject;
}

function testingSnapshots(fn: AnyFunction): AnyFunction {
  return stepping(fn, async (object, context) => {
    const decision = await fn.step(object, context);
    const patch = await Promise.all((decision.patch ?? []).map((each) => ofSnapshot(each, context.read)));
    return { ...decision, patch };
  });
}

async function ofSnapshot(patch: GuardedPatch, read: Reader): Promise<GuardedPatch> {
  const isHandOver = patch.operations.some((operation) => {
    if (operation.op === "test" || operation.op === "remove") return false;
    const { type, status } = Object(operation.value) as Said;
    return type === "OwnerRemediated" && status === "False";
  });
  if (!isHandOver) return patch;
  const { namespace, name } = patch.target;
  const { resourceVersion } = (await read.get(Machine, { namespace, name }))?.metadata ?? {};
  return {
    ...patch,
    target: { ...patch.target, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  };
}
