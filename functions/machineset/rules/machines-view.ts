import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import {
  type MachineProviders,
  readMachineProviders,
  readTemplates,
} from "../../../shared/rules/providers/machine-providers.ts";
import { readControlPlane } from "../../../shared/rules/providers/read-control-plane.ts";
import { isOwnMachine } from "./machines.ts";
import { readMachines, readMachinesLive } from "./reads.ts";
import { scaleUpBlockers } from "./templates.ts";

/** Everything that decides about the Machines of a set. */
export interface SetView {
  readonly set: MachineSet;
  readonly cluster: Cluster;
  /** Those that the set controls or adopts. */
  readonly machines: readonly Machine[];
  /** Those that it controls. */
  readonly own: readonly Machine[];
  /** Provider objects by the name of the Machine. */
  readonly objects: ReadonlyMap<string, MachineProviders>;
  /** Why no Machine is made now. */
  readonly blockers: readonly string[];
}

/** The view of snapshots: it says whether there is something to do. */
export async function readView(read: Reader, set: MachineSet, cluster: Cluster): Promise<SetView> {
  return viewOf(read, set, cluster, await readMachines(read, set));
}

/** The view by which Machines are made and deleted: set, Cluster and Machines from the API server, provider objects from snapshots. */
export async function readLiveView(
  read: Reader,
  set: MachineSet,
  cluster: Cluster,
  { own }: SetView,
): Promise<SetView> {
  return viewOf(read, set, cluster, await readMachinesLive(read.live, set, own));
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
