import { type KubeObject, refTo } from "../../../shared/api/kinds.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import type { AnyFunction, GuardedPatch } from "../../../shared/function/define-function.ts";
import { type Defect, stepping } from "./defect.ts";
import { listing } from "./health-check-steps.ts";
import { deciding, seeing } from "./steps.ts";

const SETS = "machinedeployment-sets";
const SIZE = "/spec/replicas";

/** Defects of rollouts. */
export const rolloutStepDefects: readonly Defect[] = [
  {
    number: "D-66",
    title: "a set is named after the version of its deployment, and not seen before it has a status",
    target: { workload: "W-31", faults: [] },
    patch: () => ({
      function: (fn) =>
        creating(
          listing(fn, [SETS], (set) => ((set as MachineSet).status === undefined ? [] : [set])),
          (set, { metadata }) => renamed(set, metadata.resourceVersion ?? ""),
        ),
    }),
  },
  {
    number: "D-67",
    title: "a size is written whatever has become of its set",
    target: { workload: "W-31", faults: [] },
    patch: () => ({
      function: (fn) =>
        patching(fn, (patch) => ({ ...patch, target: { ...patch.target, resourceVersion: undefined } })),
    }),
  },
  {
    number: "D-68",
    title: "Machines that go do not count against the surge",
    target: { workload: "W-31", faults: [] },
    patch: () => ({ function: (fn) => listing(fn, [SETS], (set) => [counted(set, { replicas: 0 })]) }),
  },
  {
    number: "D-69",
    title: "the Machines that must stay available are forgotten",
    target: { workload: "W-31", faults: [] },
    patch: () => ({
      function: (fn) => rolling(fn, { maxSurge: 1, maxUnavailable: "100%" }),
    }),
  },
  {
    number: "D-70",
    title: "a Machine counts as available as soon as its set wants it",
    target: { workload: "W-31", faults: [] },
    patch: () => ({
      function: (fn) =>
        listing(fn, [SETS], (set) => [
          counted(set, { availableReplicas: (set as MachineSet).spec.replicas ?? 0 }),
        ]),
    }),
  },
  {
    number: "D-71",
    title: "an emptied set is removed while its Machines go",
    target: { workload: "W-31", faults: [] },
    patch: () => ({ function: (fn) => (fn.spec.name === SETS ? hasty(fn) : fn) }),
  },
  {
    number: "D-72",
    title: "an old set grows where it should shrink",
    target: { workload: "W-31", faults: [] },
    patch: () => ({
      function: (fn) =>
        patching(fn, (patch) =>
          patch.announces?.message.startsWith("Scaled down") === true
            ? { ...patch, operations: patch.operations.map(larger) }
            : patch,
        ),
    }),
  },
  {
    number: "D-73",
    title: "a paused deployment rolls out",
    target: { workload: "W-32", faults: [] },
    patch: () => ({
      function: (fn) => wishing(fn, (spec) => ({ ...spec, paused: false })),
    }),
  },
  {
    number: "D-74",
    title: "the deployment never gets the revision of its set",
    target: { workload: "W-31", faults: [] },
    patch: () => ({
      function: (fn) =>
        deciding(fn, SETS, (decision) => ({
          ...decision,
          patch: (decision.patch ?? []).filter(({ target }) => target.kind.kind === "MachineSet"),
        })),
    }),
  },
  {
    number: "D-75",
    title: "a new set is born with all its Machines",
    target: { workload: "W-31", faults: [] },
    patch: () => ({
      function: (fn) =>
        creating(fn, (set) => ({ ...set, spec: { ...(set as MachineSet).spec, replicas: 3 } }) as KubeObject),
    }),
  },
];

type Spec = MachineDeployment["spec"];

/** A function that reads another wish of deployments. */
function wishing(fn: AnyFunction, change: (spec: Spec) => Spec): AnyFunction {
  if (fn.spec.name !== SETS) return fn;
  return seeing(fn, (object) =>
    object.kind === "MachineDeployment"
      ? ({ ...object, spec: change((object as MachineDeployment).spec) } as KubeObject)
      : object,
  );
}

function rolling(
  fn: AnyFunction,
  rollingUpdate: { readonly maxSurge: number; readonly maxUnavailable: string },
): AnyFunction {
  const strategy = { type: "RollingUpdate", rollingUpdate } as const;
  return wishing(fn, (spec) => ({ ...spec, rollout: { ...spec.rollout, strategy } }));
}

function creating(
  fn: AnyFunction,
  change: (set: KubeObject, deployment: KubeObject) => KubeObject,
): AnyFunction {
  if (fn.spec.name !== SETS) return fn;
  return stepping(fn, async (object, context) => {
    const decision = await fn.step(object, context);
    const create = (decision.create ?? []).map((one) => ({ ...one, object: change(one.object, object) }));
    return { ...decision, create };
  });
}

function renamed(set: KubeObject, end: string): KubeObject {
  return { ...set, metadata: { ...set.metadata, name: `${set.metadata.name}-${end}` } };
}

function patching(fn: AnyFunction, change: (patch: GuardedPatch) => GuardedPatch): AnyFunction {
  return deciding(fn, SETS, (decision) => ({
    ...decision,
    patch: (decision.patch ?? []).map((patch) =>
      patch.operations.some(({ path }) => path === SIZE) ? change(patch) : patch,
    ),
  }));
}

function larger(operation: GuardedPatch["operations"][number]): GuardedPatch["operations"][number] {
  return operation.op !== "remove" && operation.path === SIZE
    ? { ...operation, value: Number(operation.value) + 2 }
    : operation;
}

function counted(set: KubeObject, counts: Partial<NonNullable<MachineSet["status"]>>): KubeObject {
  const { status } = set as MachineSet;
  return set.kind === "MachineSet" ? ({ ...set, status: { ...status, ...counts } } as KubeObject) : set;
}

/** A function that removes sets of size 0. */
function hasty(fn: AnyFunction): AnyFunction {
  return stepping(fn, async (object, context) => {
    const decision = await fn.step(object, context);
    const { namespace } = object.metadata;
    const sets = await context.read.live.list(MachineSet, { namespace });
    const emptied = sets.filter(({ spec }) => spec.replicas === 0);
    return { ...decision, delete: emptied.map((set) => ({ target: refTo(MachineSet, set) })) };
  });
}
