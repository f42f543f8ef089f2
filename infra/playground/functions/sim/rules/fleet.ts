import type { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import type { MachinePool } from "../../../../../shared/api/machinepool.ts";
import type { NewObject } from "../../../../../shared/function/define-function.ts";
import type { LiveReader, Reader } from "../../../../../shared/function/reads.ts";
import { SimInstance } from "../../../api/sim-cloud.ts";
import { SimMachine } from "../../../api/sim-machine.ts";
import type { SimMachinePool } from "../../../api/sim-machinepool.ts";
import { instanceLabels, missingInstances, type SimFleet, wantedReplicas } from "./instances.ts";
import { missingSimMachines, ownParts, type SimFleetParts } from "./machines.ts";

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
