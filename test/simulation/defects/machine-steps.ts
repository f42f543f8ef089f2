import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { LiveReader } from "../../../shared/function/reads.ts";
import { seeded } from "../kernel/seeded.ts";
import { type Defect, patched, stepping } from "./defect.ts";
import { deciding, seeing } from "./steps.ts";

/** Defects of the functions of Machines and MachineSets. */
export const machineStepDefects: readonly Defect[] = [
  {
    number: "D-47",
    title: "a set makes Machines under names that it has not reserved",
    target: { workload: "W-22", faults: [] },
    patch() {
      const chance = seeded(47, "names");
      return {
        function: (fn) =>
          deciding(fn, "machineset-machines", (decision) => ({
            ...decision,
            create: (decision.create ?? []).map((each) =>
              each.kind.kind === "Machine" ? { ...each, object: renamed(each.object, chance.id(3)) } : each,
            ),
          })),
      };
    },
  },
  {
    number: "D-48",
    title: "a drain evicts before its start time is stored",
    target: { workload: "W-23", faults: [] },
    patch: () => ({ function: (fn) => (fn.spec.name === "machine-drain" ? seeing(fn, started) : fn) }),
  },
  {
    number: "D-49",
    title: "a deleted Machine believes snapshots that its objects are gone",
    target: { workload: "W-21", faults: [] },
    patch: () => ({ function: (fn) => (fn.spec.name === "machine-delete" ? credulous(fn) : fn) }),
  },
];

function renamed(object: KubeObject, end: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, name: `${object.metadata.name}-${end}` } };
}

function started(object: KubeObject): KubeObject {
  const { metadata, status } = object as Machine;
  if (object.kind !== "Machine" || metadata.deletionTimestamp === undefined) return object;
  const deletion = { nodeDrainStartTime: metadata.deletionTimestamp, ...status?.deletion };
  return { ...object, status: { ...status, deletion } } as KubeObject;
}

/** A function that asks the server only for objects that a snapshot shows. */
function credulous(fn: AnyFunction): AnyFunction {
  return stepping(fn, (object, { read, now }) => {
    const referenced: LiveReader["referenced"] = async (reference, namespace) => {
      const known = await read.referenced(reference, namespace);
      return (known.state === "missing" ? known : await read.live.referenced(reference, namespace)) as never;
    };
    return fn.step(object, { now, read: { ...read, live: patched(read.live, { referenced }) } });
  });
}
