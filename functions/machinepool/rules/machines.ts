import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import type { Selection } from "../../../shared/api/indexes.ts";
import type { KubeObject, ObjectKey } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { labelValueOf } from "../../../shared/api/names.ts";
import { readString } from "../../../shared/contract/fields.ts";
import { infraMachinePaths } from "../../../shared/contract/infra-machine.ts";
import { infraMachinePoolPath, infraMachinePoolPaths } from "../../../shared/contract/infra-machine-pool.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { definitionsOf, type Resolved, resolveAmong } from "../../../shared/contract/referenced.ts";
import type { LiveReader, Reader } from "../../../shared/function/reads.ts";
import { POOL_LABEL_FIELDS, poolLabels } from "../../../shared/rules/machines/pool-labels.ts";
import { OWNER_FIELDS } from "../../../shared/rules/metadata/read-owner.ts";
import { isControlled, isForeign, ownObject } from "./adoption.ts";

/** The fields of an infrastructure machine by which it has a Machine of the pool. */
export const INFRA_MACHINE_FIELDS = [
  "metadata.uid",
  "metadata.deletionTimestamp",
  ...POOL_LABEL_FIELDS,
  ...infraMachinePaths("providerID"),
] as const;

/** The fields of Machines that `readOwnMachines` goes by. */
export const OWN_MACHINE_FIELDS = ["metadata.uid", ...POOL_LABEL_FIELDS, ...OWNER_FIELDS] as const;
/** The field of an infrastructure object that `infraMachineKindOf` reads. */
export const MACHINE_KIND_FIELDS = infraMachinePoolPaths("infrastructureMachineKind");

/** Where the infrastructure machines of a pool are found, with what was read of their kind. */
export interface InfraMachines {
  readonly kind: Extract<Resolved, { state: "resolved" }>;
  readonly objects: readonly KubeObject[];
}

/**
 * The kind of a pool's infrastructure machines; `undefined` while its own infrastructure object names none: the pool
 * has no Machines then.
 */
export function infraMachineKindOf(pool: MachinePool, infrastructure: Referenced): string | undefined {
  const own = ownObject(pool, infrastructure);
  if (own === undefined) return undefined;
  const { value } = readString(own.object, infraMachinePoolPath(own.contract, "infrastructureMachineKind"));
  return value === "" ? undefined : value;
}

/**
 * Reads infrastructure machines by label, of the group of the infrastructure object; the reason when their kind is not
 * to be decided by its CRD. Differs: read in the version of their own CRD's contract labels, not in that of the pool's
 * object; providers label all their CRDs alike.
 */
export async function readInfraMachines(
  read: Pick<Reader, "list">,
  pool: MachinePool,
  type: { readonly apiGroup: string; readonly kind: string },
): Promise<InfraMachines | Extract<Resolved, { state: "unresolved" }>> {
  const kind = resolveAmong(await read.list(CustomResourceDefinition, definitionsOf(type)), type);
  if (kind.state === "unresolved") return kind;
  return { kind, objects: await read.list(kind.kind, labelled(pool)) };
}

/**
 * Returns those of the infrastructure machines that the API server has and keeps. A snapshot may still show one that
 * has taken its Machine with it; the Machine made for that would have no end.
 */
export async function stayingInfraMachines(
  live: Pick<LiveReader, "list">,
  pool: MachinePool,
  { kind, objects }: InfraMachines,
): Promise<readonly KubeObject[]> {
  const due = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (due.length === 0) return [];
  const { namespace } = pool.metadata;
  const found = await live.list(kind.kind, { namespace, labelSelector: labelSelectorOf(pool) });
  const staying = new Set(
    found
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.uid),
  );
  return due.filter(({ metadata }) => staying.has(metadata.uid));
}

/** Machines with the pool's labels, and those that it controls although their labels are gone. By name. */
export async function readPoolMachines(
  read: Pick<Reader, "list">,
  pool: MachinePool,
): Promise<readonly Machine[]> {
  const { namespace = "", uid = "" } = pool.metadata;
  const [byLabel, byOwner] = await Promise.all([
    read.list(Machine, labelled(pool)),
    read.list(Machine, { namespace, index: { name: "owner", values: [uid] } }),
  ]);
  const known = new Set(byLabel.map(({ metadata }) => metadata.name));
  const further = byOwner.filter(
    (machine) => !known.has(machine.metadata.name) && isControlled(pool, machine),
  );
  return [...byLabel, ...further];
}

/** Returns the pool's Machines without those of another controller: they count and act nowhere. */
export async function readOwnMachines(
  read: Pick<Reader, "list">,
  pool: MachinePool,
): Promise<readonly Machine[]> {
  const machines = await readPoolMachines(read, pool);
  return machines.filter((machine) => !isForeign(pool, machine));
}

/** The Machines that the pool controls, as the API server has them. */
export async function readOwnMachinesLive(
  live: Pick<LiveReader, "list">,
  pool: MachinePool,
): Promise<readonly Machine[]> {
  const { namespace } = pool.metadata;
  const machines = await live.list(Machine, { namespace, labelSelector: labelSelectorOf(pool) });
  return machines.filter((machine) => isControlled(pool, machine));
}

function labelSelectorOf(pool: MachinePool): string {
  return Object.entries(poolLabels(pool))
    .map(([label, value]) => `${label}=${value}`)
    .join(",");
}

function labelled(pool: MachinePool): Selection {
  const { namespace = "", name } = pool.metadata;
  const value = `${namespace}/${pool.spec.clusterName}|${labelValueOf(name)}`;
  return { namespace, index: { name: "pool", values: [value] } };
}

/** Returns the key of the Machine that is made for an infrastructure machine: under the same name. */
export function machineKeyOf({ metadata }: KubeObject): ObjectKey {
  return { namespace: metadata.namespace ?? "", name: metadata.name };
}

/** The Machine of an infrastructure machine: older ones have names of their own. */
export function machineFor(infraMachine: KubeObject, machines: readonly Machine[]): Machine | undefined {
  return machines.find(({ spec }) => spec.infrastructureRef.name === infraMachine.metadata.name);
}
