import { CLUSTER_NAME_LABEL } from "../../../../../shared/api/indexes.ts";
import { apiVersionOf, MANAGEMENT } from "../../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../../shared/api/machine/machine.ts";
import type { MachinePool } from "../../../../../shared/api/machinepool.ts";
import { labelValueOf } from "../../../../../shared/api/names.ts";
import type { NewObject } from "../../../../../shared/function/define-function.ts";
import { DELETE_MACHINE } from "../../../../../shared/rules/machines/annotations.ts";
import { prefixedVersion } from "../../../../../shared/rules/machines/versions.ts";
import { controllerReference } from "../../../../../shared/rules/metadata/owner-references.ts";
import { isManagedOutside } from "../../../../../shared/rules/providers/replicas-managed.ts";
import { CLOUD_FINALIZER, SimInstance } from "../../../api/sim-cloud.ts";
import type { SimMachine } from "../../../api/sim-machine.ts";
import { SimMachinePool } from "../../../api/sim-machinepool.ts";

/** Label on SimInstances and SimMachines: the SimMachinePool, as a label value. */
const POOL_LABEL = "infrastructure.sim.capstan.dev/pool-name";
/** Kubelet version of instances for which neither pool names one. */
export const KUBELET_VERSION = "v1.34.0";

/** The fields of an instance that say whether it runs and stays. */
export const INSTANCE_FIELDS = ["metadata.uid", "metadata.deletionTimestamp", "status.phase"] as const;

/** The field of both pools that `wantedReplicas` reads, beside the fields of `isManagedOutside`. */
export const REPLICA_FIELDS = ["spec.replicas"] as const;

/** A simulated pool with everything that it has made, and the Machines made for that. */
export interface SimFleet {
  readonly object: SimMachinePool;
  readonly pool: MachinePool;
  /** Replicas; see `wantedReplicas`. */
  readonly wanted: number;
  readonly instances: readonly SimInstance[];
  /** The SimMachines of the same names as their instances; empty without `spec.machines`. */
  readonly simMachines: readonly SimMachine[];
  readonly machines: readonly Machine[];
}

export function instanceLabels(pool: SimMachinePool): { readonly [label: string]: string } {
  return { [POOL_LABEL]: labelValueOf(pool.metadata.name) };
}

/** Chosen by the MachinePool, or by the simulated autoscaler while the MachinePool leaves it to another controller. */
export function wantedReplicas(object: SimMachinePool, pool: MachinePool): number | undefined {
  const replicas = isManagedOutside(pool) ? (object.spec.replicas ?? pool.spec.replicas) : pool.spec.replicas;
  return replicas === undefined ? undefined : Math.max(0, replicas);
}

/**
 * Instances to create so that there are as many as wanted; the place and the name of one are taken until it,
 * its
 * SimMachine and its Machine are gone. Names are `<pool>-<lowest free index>`, provider IDs
 * `sim://<namespace>/<instance>/<base 36 of now in ms>`: a new instance of an old name is another machine.
 */
export function missingInstances(fleet: SimFleet, now: Date): readonly NewObject[] {
  const present = [...fleet.instances, ...fleet.simMachines].map(({ metadata }) => metadata.name);
  const places = new Set(present).size;
  const taken = new Set([...present, ...fleet.machines.map(({ spec }) => spec.infrastructureRef.name)]);
  // However many names are taken, among so many there are enough free ones.
  const candidates = Array.from(
    { length: Math.max(0, fleet.wanted) + taken.size },
    (_, index) => `${fleet.object.metadata.name}-${index}`,
  );
  return candidates
    .filter((name) => !taken.has(name))
    .slice(0, Math.max(0, fleet.wanted - places))
    .map((name) => ({ cluster: MANAGEMENT, kind: SimInstance, object: newInstance(name, fleet, now) }));
}

/**
 * Instances of which there are more than wanted and that are not going yet: those whose Machine a user has marked for
 * deletion first, then the highest indexes.
 */
export function surplusInstances(fleet: SimFleet): readonly SimInstance[] {
  const going = new Set([
    ...fleet.simMachines.filter(isGoing).map(({ metadata }) => metadata.name),
    ...fleet.machines.filter(isGoing).map(({ spec }) => spec.infrastructureRef.name),
  ]);
  const marked = new Set(
    fleet.machines
      .filter(({ metadata }) => Object.hasOwn(metadata.annotations ?? {}, DELETE_MACHINE))
      .map(({ spec }) => spec.infrastructureRef.name),
  );
  const staying = fleet.instances.filter(
    (instance) => !(isGoing(instance) || going.has(instance.metadata.name)),
  );
  return staying
    .toSorted(
      (a, b) =>
        Number(marked.has(b.metadata.name)) - Number(marked.has(a.metadata.name)) ||
        compareIndexes(indexOf(fleet.object, b), indexOf(fleet.object, a)),
    )
    .slice(0, Math.max(0, staying.length - fleet.wanted));
}

/**
 * Returns the provider IDs of the instances that run and are to stay, by index. One that says nothing of itself and is
 * listed ran before its status was lost, in a move for instance: it stays listed, or its Node would be deleted.
 */
export function runningProviderIDs(
  pool: SimMachinePool,
  instances: readonly SimInstance[],
): readonly string[] {
  const listed = new Set(pool.spec.providerIDList);
  const runs = ({ spec, status }: SimInstance): boolean =>
    status?.phase === undefined ? listed.has(spec.providerID ?? "") : status.phase === "Running";
  return instances
    .filter((instance) => !isGoing(instance) && runs(instance))
    .toSorted((a, b) => compareIndexes(indexOf(pool, a), indexOf(pool, b)))
    .flatMap(({ spec }) => spec.providerID ?? []);
}

/** Whether a pool has been provisioned once: its status says so, or the list that it was the first to write. */
export function hasBeenProvisioned({ spec, status }: SimMachinePool): boolean {
  if (status?.initialization?.provisioned === true) return true;
  // A fault may list anything, and at any time.
  return spec.faults?.providerIDList === undefined && (spec.providerIDList ?? []).length > 0;
}

function isGoing({ metadata }: Pick<SimInstance, "metadata">): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether this pool gives such a name to an instance. */
export function isNameOf(pool: SimMachinePool, name: string): boolean {
  return Number.isFinite(indexIn(pool, name));
}

function indexOf(pool: SimMachinePool, { metadata }: SimInstance): number {
  return indexIn(pool, metadata.name);
}

/** Returns the index of a name; infinity for a name that this pool never gives: such an instance goes first. */
function indexIn(pool: SimMachinePool, name: string): number {
  const [, index] = /^(0|[1-9][0-9]*)$/.exec(name.slice(pool.metadata.name.length + 1)) ?? [];
  const matches = index !== undefined && name === `${pool.metadata.name}-${index}`;
  return matches ? Number(index) : Number.POSITIVE_INFINITY;
}

/** Two that are infinite are equal; their difference would not be a number. */
function compareIndexes(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function newInstance(name: string, { object, pool }: SimFleet, now: Date): SimInstance {
  const { namespace = "" } = object.metadata;
  const { bootDelaySeconds, nodeReadyDelaySeconds, template } = object.spec;
  const { version = KUBELET_VERSION } = pool.spec.template.spec;
  return {
    apiVersion: apiVersionOf(SimInstance),
    kind: SimInstance.kind,
    metadata: {
      name,
      namespace,
      labels: { ...instanceLabels(object), [CLUSTER_NAME_LABEL]: pool.spec.clusterName },
      finalizers: [CLOUD_FINALIZER],
      ownerReferences: [controllerReference(SimMachinePool, object)],
    },
    spec: {
      clusterName: pool.spec.clusterName,
      poolName: object.metadata.name,
      providerID: `sim://${namespace}/${name}/${now.getTime().toString(36)}`,
      bootDelaySeconds,
      nodeReadyDelaySeconds,
      kubeletVersion: template?.kubeletVersion ?? prefixedVersion(version),
    },
  };
}
