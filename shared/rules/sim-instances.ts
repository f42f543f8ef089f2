import { CLUSTER_NAME_LABEL } from "../api/indexes.ts";
import { apiVersionOf, MANAGEMENT } from "../api/kinds.ts";
import type { MachinePool } from "../api/machinepool.ts";
import { SimInstance, SimMachinePool } from "../api/sim.ts";
import type { NewObject } from "../runtime/define-function.ts";
import { labelValueOf } from "./names.ts";
import { controlledBy } from "./read-owner.ts";

/** Label on SimInstances: the SimMachinePool, as a label value. */
const POOL_LABEL = "infrastructure.sim.capstan.dev/pool-name";
/** Kubelet version of instances for which neither pool names one. */
const KUBELET_VERSION = "v1.34.0";

export function instanceLabels(pool: SimMachinePool): { readonly [label: string]: string } {
  return { [POOL_LABEL]: labelValueOf(pool.metadata.name) };
}

/**
 * Instances to create so that the indexes 0 to `replicas` - 1 exist; an index stays taken while its instance is
 * being deleted. Names are `<pool>-<index>`, provider IDs `sim://<namespace>/<instance>/<base 36 of now in ms>`: a
 * new instance of an old name is another machine.
 */
export function missingInstances(
  pool: SimMachinePool,
  machinePool: MachinePool,
  instances: readonly SimInstance[],
  now: Date,
): readonly NewObject[] {
  const taken = new Set(instances.map(({ metadata }) => metadata.name));
  const names = Array.from(
    { length: Math.max(0, machinePool.spec.replicas ?? 0) },
    (_, index) => `${pool.metadata.name}-${index}`,
  );
  return names
    .filter((name) => !taken.has(name))
    .map((name) => ({
      cluster: MANAGEMENT,
      kind: SimInstance,
      object: newInstance(name, pool, machinePool, now),
    }));
}

/** Instances with an index of `replicas` or above that are not being deleted yet, the highest first. */
export function surplusInstances(
  pool: SimMachinePool,
  replicas: number,
  instances: readonly SimInstance[],
): readonly SimInstance[] {
  return instances
    .filter(
      (instance) => instance.metadata.deletionTimestamp === undefined && indexOf(pool, instance) >= replicas,
    )
    .toSorted((a, b) => indexOf(pool, b) - indexOf(pool, a));
}

/** Provider IDs of the instances that run and are to stay, by index. */
export function runningProviderIDs(
  pool: SimMachinePool,
  instances: readonly SimInstance[],
): readonly string[] {
  return instances
    .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === "Running")
    .toSorted((a, b) => indexOf(pool, a) - indexOf(pool, b))
    .flatMap(({ spec }) => spec.providerID ?? []);
}

/** Infinity for a name that this pool never gives: such an instance is surplus. */
function indexOf(pool: SimMachinePool, instance: SimInstance): number {
  const [, index] =
    /^(0|[1-9][0-9]*)$/.exec(instance.metadata.name.slice(pool.metadata.name.length + 1)) ?? [];
  const matches = index !== undefined && instance.metadata.name === `${pool.metadata.name}-${index}`;
  return matches ? Number(index) : Number.POSITIVE_INFINITY;
}

function newInstance(name: string, pool: SimMachinePool, machinePool: MachinePool, now: Date): SimInstance {
  const { namespace = "" } = pool.metadata;
  const { bootDelaySeconds, nodeReadyDelaySeconds, template } = pool.spec;
  return {
    apiVersion: apiVersionOf(SimInstance),
    kind: SimInstance.kind,
    metadata: {
      name,
      namespace,
      labels: { ...instanceLabels(pool), [CLUSTER_NAME_LABEL]: machinePool.spec.clusterName },
      ownerReferences: [controlledBy(SimMachinePool, pool)],
    },
    spec: {
      clusterName: machinePool.spec.clusterName,
      poolName: pool.metadata.name,
      providerID: `sim://${namespace}/${name}/${now.getTime().toString(36)}`,
      bootDelaySeconds,
      nodeReadyDelaySeconds,
      kubeletVersion: template?.kubeletVersion ?? machinePool.spec.template.spec.version ?? KUBELET_VERSION,
    },
  };
}
