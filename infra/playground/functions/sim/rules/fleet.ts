import type { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { referenceValue } from "../../../../../shared/api/indexes.ts";
import { apiVersionOf, MANAGEMENT, type ObjectRef, refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import type { MachinePool } from "../../../../../shared/api/machinepool.ts";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import type { GuardedDelete, NewObject } from "../../../../../shared/function/define-function.ts";
import type { LiveReader, Reader } from "../../../../../shared/function/reads.ts";
import { poolLabels } from "../../../../../shared/rules/machines/pool-labels.ts";
import {
  controllerOf,
  isOwnedBy,
  ownerReference,
} from "../../../../../shared/rules/metadata/owner-references.ts";
import { SimInstance } from "../../../api/sim-cloud.ts";
import { SimMachine } from "../../../api/sim-machine.ts";
import { SimMachinePool } from "../../../api/sim-machinepool.ts";
import { instanceLabels, isNameOf, missingInstances, type SimFleet, wantedReplicas } from "./instances.ts";

/** Report of a simulated pool. */
interface SimReport {
  readonly providerIDs: readonly string[];
  readonly replicas: number;
  readonly ready: boolean;
  readonly failureReason?: string | undefined;
  readonly failureMessage?: string | undefined;
  /** The time until the report changes by itself, ms. */
  readonly changesInMs?: number | undefined;
}

/** The truth, but for what `spec.faults` says instead. */
export function withFaults({ metadata, spec }: SimMachinePool, truth: SimReport, now: Date): SimReport {
  const { faults = {} } = spec;
  const readyUntil =
    faults.notReadyAfterSeconds === undefined
      ? Number.POSITIVE_INFINITY
      : Date.parse(metadata.creationTimestamp ?? "") + faults.notReadyAfterSeconds * SECOND;
  const remainingMs = readyUntil - now.getTime();
  return {
    providerIDs: faults.providerIDList ?? truth.providerIDs,
    replicas: faults.replicas ?? truth.replicas,
    ready: truth.ready && remainingMs > 0,
    failureReason: faults.failureReason,
    failureMessage: faults.failureMessage,
    changesInMs: remainingMs > 0 && Number.isFinite(remainingMs) ? remainingMs : undefined,
  };
}

/** The finalizer on a SimMachine until its instance is gone. */
export const SIM_MACHINE_FINALIZER = "simmachine.infrastructure.sim.capstan.dev";

/** The value of the index `reference` under which the Machine of a SimMachine is found. */
export function simMachineReference({ namespace = "", name }: SimMachine["metadata"]): string {
  return referenceValue({ apiGroup: SimMachine.group, kind: SimMachine.kind, name }, namespace);
}

/** Returns the SimMachines to create so that every instance that stays has one. */
export function missingSimMachines({ object, pool, instances, simMachines }: SimFleet): readonly NewObject[] {
  if (object.spec.machines !== true) return [];
  const known = new Set(simMachines.map(({ metadata }) => metadata.name));
  return instances
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !known.has(metadata.name))
    .map(({ metadata, spec }) => {
      const simMachine: SimMachine = {
        apiVersion: apiVersionOf(SimMachine),
        kind: SimMachine.kind,
        metadata: {
          name: metadata.name,
          namespace: metadata.namespace,
          labels: { ...instanceLabels(object), ...poolLabels(pool) },
          finalizers: [SIM_MACHINE_FINALIZER],
          // An owner, no controller: that will be the Machine.
          ownerReferences: [{ ...ownerReference(SimMachinePool, object), blockOwnerDeletion: true }],
        },
        spec: { providerID: spec.providerID },
      };
      return { cluster: MANAGEMENT, kind: SimMachine, object: simMachine };
    });
}

/** Objects that a pool has made, read live for a deletion. */
interface SimFleetParts extends Pick<SimFleet, "instances" | "simMachines" | "machines"> {}

/**
 * Returns only what belongs to this SimMachinePool; of Machines those of its SimMachines, and what its MachinePool
 * controls.
 */
export function ownParts(object: SimMachinePool, parts: SimFleetParts): SimFleetParts {
  const { uid } = object.metadata;
  const pool = controllerOf(object)?.uid;
  const simMachines = parts.simMachines.filter((simMachine) => isOwnedBy(simMachine, uid));
  return {
    instances: parts.instances.filter((instance) => isOwnedBy(instance, uid)),
    simMachines,
    machines: parts.machines.filter(
      (machine) =>
        machine.spec.infrastructureRef.kind === SimMachine.kind &&
        (simMachines.some(({ metadata }) => metadata.name === machine.spec.infrastructureRef.name) ||
          (pool !== undefined && controllerOf(machine)?.uid === pool)),
    ),
  };
}

/** Deletes of what stands above each of these instances, and of orphaned Machines; `parts` as read live. */
export function removalOf(
  object: SimMachinePool,
  parts: SimFleetParts,
  leaving: readonly (SimInstance | SimMachine)[],
): readonly GuardedDelete[] {
  const orphans = orphanedMachines(object, parts).map(({ spec }) => spec.infrastructureRef.name);
  const toDelete = new Set([...leaving.map(({ metadata }) => metadata.name), ...orphans]);
  return [...toDelete].flatMap((name) => topOf(name, parts) ?? []).map((target) => ({ target }));
}

/**
 * Machines whose SimMachine and instance are gone and that do not go by themselves: a request that was carried out
 * late has made them. No other controller takes them down, and their names would be taken for ever.
 */
export function orphanedMachines(
  object: SimMachinePool,
  { instances, simMachines, machines }: SimFleetParts,
): readonly Machine[] {
  const known = new Set([...instances, ...simMachines].map(({ metadata }) => metadata.name));
  return machines.filter((machine) => {
    const { kind, name } = machine.spec.infrastructureRef;
    if (kind !== SimMachine.kind || !isNameOf(object, name) || known.has(name)) return false;
    return machine.metadata.deletionTimestamp === undefined;
  });
}

/**
 * Returns the object to delete so that the instance of this name goes: its Machine, so that it is drained first;
 * without one its SimMachine; without that the instance itself. None while that is going already. A Machine without a
 * finalizer would be gone at once, and be recreated for its SimMachine: then that goes first.
 */
function topOf(name: string, { instances, simMachines, machines }: SimFleetParts): ObjectRef | undefined {
  const machine = machines.find(({ spec }) => spec.infrastructureRef.name === name);
  const simMachine = simMachines.find(({ metadata }) => metadata.name === name);
  if (machine !== undefined && (simMachine === undefined || isKept(machine)))
    return due(refTo(Machine, machine), machine);
  if (simMachine !== undefined) return due(refTo(SimMachine, simMachine), simMachine);
  const instance = instances.find(({ metadata }) => metadata.name === name);
  return instance === undefined ? undefined : due(refTo(SimInstance, instance), instance);
}

/** Returns whether a deleted Machine would not be gone at once. */
export function isKept({ metadata: { finalizers = [], deletionTimestamp } }: Machine): boolean {
  return finalizers.length > 0 || deletionTimestamp !== undefined;
}

function due(ref: ObjectRef, { metadata }: Pick<Machine, "metadata">): ObjectRef | undefined {
  return metadata.deletionTimestamp === undefined ? ref : undefined;
}

/** Objects that a simulated pool has made, and the Machines that the MachinePool has made for it. */
export async function readFleet(
  read: Pick<Reader, "list">,
  { metadata }: SimMachinePool,
  pool: MachinePool,
): Promise<SimFleetParts> {
  const { namespace = "", uid = "" } = metadata;
  const owned = { namespace, index: { name: "owner", values: [uid] } };
  const [instances, simMachines, machines] = await Promise.all([
    read.list(SimInstance, owned),
    read.list(SimMachine, owned),
    read.list(Machine, { namespace, index: { name: "owner", values: [pool.metadata.uid ?? ""] } }),
  ]);
  return { instances, simMachines, machines };
}

/**
 * The same as the API server has it, also after the MachinePool is gone. A pool without Machines costs one request.
 * Machines are listed before SimMachines: one without a SimMachine has none any more, for that was there first.
 */
export async function readFleetLive(
  live: Pick<LiveReader, "list">,
  object: SimMachinePool,
): Promise<SimFleetParts> {
  const { namespace } = object.metadata;
  const [[label, value] = []] = Object.entries(instanceLabels(object));
  const labelSelector = `${label}=${value}`;
  const machines = hasMachines(object)
    ? await live.list(Machine, { namespace, labelSelector: "cluster.x-k8s.io/pool-name" })
    : [];
  const simMachines = hasMachines(object) ? await live.list(SimMachine, { namespace, labelSelector }) : [];
  const instances = await live.list(SimInstance, { namespace, labelSelector });
  return ownParts(object, { instances, simMachines, machines });
}

function hasMachines({ spec, status }: SimMachinePool): boolean {
  return spec.machines === true || status?.infrastructureMachineKind !== undefined;
}

/** Returns the objects to create next, one kind after the other: a SimMachine always finds its instance. */
export function missingParts(fleet: SimFleet, now: Date): readonly NewObject[] {
  const instances = missingInstances(fleet, now);
  return instances.length > 0 ? instances : missingSimMachines(fleet);
}

/** Returns the wait before the first instance is made. */
export function missingDependency(
  object: SimMachinePool,
  pool: MachinePool,
  cluster: Cluster | undefined,
): string | undefined {
  if (cluster?.status?.initialization?.infrastructureProvisioned !== true) {
    return "Cluster.status.initialization.infrastructureProvisioned";
  }
  // The empty string is a value: no bootstrap data wanted.
  if (pool.spec.template.spec.bootstrap.dataSecretName === undefined) {
    return "MachinePool.spec.template.spec.bootstrap.dataSecretName";
  }
  return wantedReplicas(object, pool) === undefined ? "MachinePool.spec.replicas" : undefined;
}
