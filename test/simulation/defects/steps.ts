import type { Connection } from "../../../shared/api/core.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { AnyDecision, AnyFunction } from "../../../shared/function/define-function.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { seeded } from "../kernel/seeded.ts";
import { type Defect, patched, stepping } from "./defect.ts";

/** Defects of decisions. */
export const stepDefects: readonly Defect[] = [
  {
    number: "D-06",
    title: "created objects have random names",
    target: { workload: "W-05", faults: [] },
    patch() {
      const chance = seeded(6, "names");
      return {
        function: (fn) =>
          deciding(fn, "sim-machinepool", (decision) => ({
            ...decision,
            create:
              decision.create?.map((each) => ({
                ...each,
                object: renamed(each.object, `${each.object.metadata.name}-${chance.id(3)}`),
              })) ?? [],
          })),
      };
    },
  },
  {
    number: "D-12",
    title: "an empty list of provider IDs counts as retirement",
    target: { workload: "W-02", faults: ["X-44"] },
    patch: () => ({
      function: (fn) => (fn.spec.name === "machinepool-retire" ? believing(fn) : fn),
    }),
  },
  {
    number: "D-13",
    title: "Nodes of an unreachable cluster count as deleted",
    target: { workload: "W-12", faults: [] },
    patch: () => ({
      function: (fn) => (fn.spec.name === "machinepool-status" ? blind(fn) : fn),
    }),
  },
  {
    number: "D-17",
    title: "a list is written to a status in the order in which it was seen",
    target: { workload: "W-01", faults: [] },
    patch() {
      const chance = seeded(17, "order");
      return {
        function: (fn) =>
          deciding(fn, "machinepool-status", (decision) => {
            const status = decision.apply?.["status"] as MachinePool["status"] | undefined;
            if (status?.nodeRefs === undefined || chance.below(2) === 0) return decision;
            return { ...decision, apply: { status: { ...status, nodeRefs: status.nodeRefs.toReversed() } } };
          }),
      };
    },
  },
  {
    number: "D-20",
    title: "a pause stops the enqueueing, not the runs",
    target: { workload: "W-11", faults: [] },
    patch: () => ({ function: (fn) => seeing(fn, unpaused) }),
  },
];

/** A function of that name that decides otherwise. */
export function deciding(
  fn: AnyFunction,
  name: string,
  change: (decision: AnyDecision) => AnyDecision,
): AnyFunction {
  if (fn.spec.name !== name) return fn;
  return stepping(fn, async (object, context) => change(await fn.step(object, context)));
}

function renamed(object: KubeObject, name: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, name } };
}

/** A function that sees objects in another way than they are. */
export function seeing(fn: AnyFunction, change: (object: KubeObject) => KubeObject): AnyFunction {
  return stepping(fn, (object, { read, now }) =>
    fn.step(change(object), { now, read: { ...changed(read, change), live: changed(read.live, change) } }),
  );
}

function changed<T extends Pick<Reader, "get" | "referenced">>(
  reader: T,
  change: (object: KubeObject) => KubeObject,
): T {
  return patched<Pick<Reader, "get" | "referenced">>(reader, {
    async get(kind, key, cluster) {
      const found = await reader.get(kind, key, cluster);
      return found === undefined ? undefined : (change(found) as typeof found);
    },
    async referenced(reference, namespace) {
      const found = await reader.referenced(reference, namespace);
      return (found.state === "found" ? { ...found, object: change(found.object) } : found) as never;
    },
  }) as T;
}

function unpaused(object: KubeObject): KubeObject {
  const { "cluster.x-k8s.io/paused": _, ...annotations } = object.metadata.annotations ?? {};
  const { spec } = object as { readonly spec?: object };
  const seen = { ...object, metadata: { ...object.metadata, annotations } };
  return object.kind === "Cluster" ? ({ ...seen, spec: { ...spec, paused: false } } as KubeObject) : seen;
}

/** A function to which an empty list of the provider says that all instances have left. */
function believing(fn: AnyFunction): AnyFunction {
  const deceived = seeing(fn, listingNothing);
  return stepping(fn, async (object, context) => {
    const { spec, metadata } = object as MachinePool;
    const found = await context.read.referenced(
      spec.template.spec.infrastructureRef,
      metadata.namespace ?? "",
    );
    const isEmpty = found.state === "found" && listIn(found.object).length === 0;
    return (isEmpty ? deceived : fn).step(object, context);
  });
}

function listIn(object: KubeObject): readonly string[] {
  const { spec } = object as { readonly spec?: { readonly providerIDList?: readonly string[] } };
  return spec?.providerIDList ?? [];
}

/** A list that is there and names none of the instances. */
function listingNothing(object: KubeObject): KubeObject {
  if (!object.kind.endsWith("MachinePool")) return object;
  const { spec } = object as { readonly spec?: object };
  return { ...object, spec: { ...spec, providerIDList: ["sim://nobody"] } } as KubeObject;
}

/** A function to which a cluster that it does not see wholly looks like one without Nodes. */
function blind(fn: AnyFunction): AnyFunction {
  return stepping(fn, async (object, context) => {
    let isSeen = true;
    const read = patched(context.read, {
      async get(kind, key, cluster) {
        const found = await context.read.get(kind, key, cluster);
        if (kind.kind === "Connection") isSeen = isComplete(found);
        return found;
      },
    });
    const decision = await fn.step(object, { ...context, read });
    const status = decision.apply?.["status"] as MachinePool["status"] | undefined;
    return isSeen || status === undefined
      ? decision
      : { ...decision, apply: { status: { ...status, nodeRefs: [] } } };
  });
}

function isComplete(connection: KubeObject | undefined): boolean {
  const { status } = (connection ?? {}) as { readonly status?: Connection["status"] };
  return status?.state === "connected" && status.nodesComplete;
}
