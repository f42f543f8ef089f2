import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { readCluster } from "../../../shared/rules/metadata/read-cluster.ts";
import {
  type MachineProviders,
  readMachineProviders,
} from "../../../shared/rules/providers/machine-providers.ts";
import { readControlPlane } from "../../../shared/rules/providers/read-control-plane.ts";
import { isOwnMachine } from "./machines.ts";
import { readMachines, readMachinesLive, readTemplates } from "./reads.ts";
import { scaleUpBlockers } from "./templates.ts";

/** Everything that decides about the Machines of a set. */
export interface SetView {
  readonly set: MachineSet;
  readonly cluster: Cluster;
  /** Those that the set controls or adopts. */
  readonly machines: readonly Machine[];
  /** Those that it controls. */
  readonly own: readonly Machine[];
  /** By the name of the Machine. */
  readonly objects: ReadonlyMap<string, MachineProviders>;
  /** Why no Machine is made now. */
  readonly blockers: readonly string[];
}

/** The view of snapshots: it says whether there is something to do. */
export async function readView(read: Reader, set: MachineSet, cluster: Cluster): Promise<SetView> {
  return viewOf(read, set, cluster, await readMachines(read, set));
}

/**
 * The view by which Machines are made and deleted: the set as the API server has it, then its Machines; `undefined`
 * when the set or its Cluster is gone. Provider objects are from snapshots.
 */
export async function readLiveView(read: Reader, known: SetView): Promise<SetView | undefined> {
  const set = await read.live.get(MachineSet, objectKeyOf(known.set));
  const cluster = set === undefined ? undefined : await readCluster(read.live, set);
  if (set === undefined || set.metadata.uid !== known.set.metadata.uid || cluster === undefined) {
    return undefined;
  }
  return viewOf(read, set, cluster, await readMachinesLive(read.live, set, known.own));
}

async function viewOf(
  read: Reader,
  set: MachineSet,
  cluster: Cluster,
  machines: readonly Machine[],
): Promise<SetView> {
  const own = machines.filter((machine) => isOwnMachine(set, machine));
  const [templates, controlPlane, objects] = await Promise.all([
    readTemplates(read, set),
    readControlPlane(read, cluster),
    Promise.all(
      own.map(async ({ metadata, spec }) => {
        return [metadata.name, await readMachineProviders(read, spec, metadata.namespace)] as const;
      }),
    ),
  ]);
  return {
    set,
    cluster,
    machines,
    own,
    objects: new Map(objects),
    blockers: scaleUpBlockers(set, { cluster, controlPlane, templates }),
  };
}
