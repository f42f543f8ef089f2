import { POOL_FINALIZER } from "../../../functions/machinepool/rules/guard.ts";
import { REMEDIATION_LIMIT } from "../../../functions/machinepool/rules/remediation.ts";
import { type KubeObject, refTo } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { MachinePool as MachinePoolKind } from "../../../shared/api/machinepool.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { done } from "../../../shared/function/result.ts";
import { removeFinalizerPatch } from "../../../shared/rules/metadata/finalizers.ts";
import { type Defect, patched, stepping } from "./defect.ts";
import { deciding, seeing } from "./steps.ts";

const PAUSED = "cluster.x-k8s.io/paused";

/** Defects of functions that were planted from outside. */
export const plantedStepDefects: readonly Defect[] = [
  {
    number: "D-27",
    title: "the end of minReadySeconds wakes no key",
    target: { workload: "W-15", faults: [] },
    patch: () => ({
      function: (fn) =>
        deciding(fn, "machinepool-status", (decision) =>
          decision.result.type === "requeue" ? { ...decision, result: done } : decision,
        ),
    }),
  },
  {
    number: "D-28",
    title: "absent replicas count as 0: an empty list proves that all have left",
    target: { workload: "W-16", faults: [] },
    patch: () => ({
      function: (fn) => (fn.spec.name === "machinepool-retire" ? seeing(fn, withReplicas) : fn),
    }),
  },
  {
    number: "D-29",
    title: "the finalizer of a pool goes before its children have gone",
    target: { workload: "W-04", faults: [] },
    patch: () => ({ function: (fn) => (fn.spec.name === "machinepool-delete" ? hasty(fn) : fn) }),
  },
  {
    number: "D-30",
    title: "cluster-delete ignores the pause annotation of the Cluster",
    target: { workload: "W-17", faults: [] },
    patch: () => ({
      function: (fn) => (fn.spec.name === "cluster-delete" ? seeing(fn, withoutPause) : fn),
    }),
  },
  {
    number: "D-31",
    title: "the Cluster's owner reference is marked controller",
    target: { workload: "W-01", faults: [] },
    patch: () => ({
      function: (fn) =>
        deciding(fn, "machinepool-guard", ({ patch, ...decision }) =>
          patch === undefined
            ? decision
            : { ...decision, patch: JSON.parse(JSON.stringify(patch), controlling) },
        ),
    }),
  },
  {
    number: "D-34",
    title: "a Node that an older pool lists, too, is marked and opened",
    target: { workload: "W-18", faults: [] },
    patch: () => ({ function: (fn) => (fn.spec.name === "machinepool-nodes" ? alone(fn) : fn) }),
  },
  {
    number: "D-44",
    title: "the percentage of remediation is rounded down",
    target: { workload: "W-19", faults: [] },
    patch: () => ({
      function: (fn) => (fn.spec.name === "machinepool-remediate" ? seeing(fn, roundedDown) : fn),
    }),
  },
];

function withReplicas(object: KubeObject): KubeObject {
  if (object.kind !== "MachinePool") return object;
  const { spec } = object as MachinePool;
  return { ...object, spec: { ...spec, replicas: spec.replicas ?? 0 } } as KubeObject;
}

function withoutPause(object: KubeObject): KubeObject {
  const { [PAUSED]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function controlling(_: string, value: unknown): unknown {
  return Object(value).kind === "Cluster" ? { ...Object(value), controller: true } : value;
}

/** A function that gives up the finalizer in the run that deletes the children. */
function hasty(fn: AnyFunction): AnyFunction {
  return stepping(fn, async (object, context) => {
    const decision = await fn.step(object, context);
    if (decision.delete === undefined || decision.delete.length === 0) return decision;
    const operations = removeFinalizerPatch(object, POOL_FINALIZER);
    return { ...decision, patch: [{ target: refTo(MachinePoolKind, object as MachinePool), operations }] };
  });
}

/** A function that sees no pool in the lists of its read model. */
export function alone(fn: AnyFunction): AnyFunction {
  return stepping(fn, (object, context) => {
    const list: typeof context.read.list = async (kind, selection, cluster) =>
      kind.kind === "MachinePool" ? [] : context.read.list(kind, selection, cluster);
    return fn.step(object, { ...context, read: patched(context.read, { list }) });
  });
}

function roundedDown(object: KubeObject): KubeObject {
  const limit = object.metadata.annotations?.[REMEDIATION_LIMIT];
  if (object.kind !== "MachinePool" || limit?.endsWith("%") !== true) return object;
  const { replicas = 1 } = (object as MachinePool).spec;
  const count = Math.floor((Number.parseInt(limit, 10) * replicas) / 100);
  const annotations = { ...object.metadata.annotations, [REMEDIATION_LIMIT]: String(count) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
