import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Workers } from "../../../shared/api/cluster/workers.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { ADOPTED_FIELDS } from "../../../shared/rules/providers/adoption.ts";
import { isOwnedByName } from "./adoption.ts";

/** The fields of a descendant that say whose it is. */
export const DESCENDANT_FIELDS = ["metadata.uid", ...ADOPTED_FIELDS] as const;

/** A kind of descendants of a Cluster. Its place in `DESCENDANTS` is its place in messages. */
export interface DescendantKind {
  readonly kind: Kind<Workers>;
  /** In messages: `* MachinePools: a, b`. */
  readonly label: string;
  /** Direct children are deleted in ascending order. */
  readonly deleteOrder: number;
  /** Which of them count as workers; `owned`: not what counts in its owner already; `apart`: other rules ask for them. */
  readonly counted: "all" | "owned" | "apart";
  /** Of control plane Machines, where the kind has them. */
  readonly controlPlaneLabel?: string;
}

/**
 * Every kind that lives in a Cluster. MachineDeployments, which Capstan does not run, are there where an installation of
 * Cluster API serves them.
 */
export const DESCENDANTS: readonly DescendantKind[] = [
  { kind: MachineDeployment, label: "MachineDeployments", deleteOrder: 2, counted: "apart" },
  { kind: MachineSet, label: "MachineSets", deleteOrder: 3, counted: "owned" },
  { kind: MachinePool, label: "MachinePools", deleteOrder: 1, counted: "all" },
  {
    kind: Machine,
    label: "Worker Machines",
    deleteOrder: 4,
    counted: "apart",
    controlPlaneLabel: "Control plane Machines",
  },
];

/** The descendants of one kind, as they were read. */
export interface Descendants {
  readonly of: DescendantKind;
  readonly objects: readonly Workers[];
}

/** MachinePools and the MachineSets that count for themselves; see also deployments.ts and machines.ts. */
export function countedWorkers(cluster: Cluster, descendants: readonly Descendants[]): readonly Workers[] {
  return descendants.flatMap(({ of, objects }) => {
    if (of.counted === "apart") return [];
    return of.counted === "all" ? objects : objects.filter((object) => isOwnedByName(object, cluster));
  });
}
