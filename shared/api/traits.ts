import { Cluster } from "./cluster/cluster.ts";
import { ClusterResourceSet, ClusterResourceSetBinding } from "./clusterresourceset.ts";
import { IPAddress, IPAddressClaim } from "./ipam.ts";
import type { Kind } from "./kinds.ts";
import { Machine } from "./machine/machine.ts";
import { MachineDrainRule } from "./machine/machine-drain-rule.ts";
import { MachineDeployment } from "./machinedeployment.ts";
import { MachineHealthCheck } from "./machinehealthcheck.ts";
import { MachinePool } from "./machinepool.ts";
import { MachineSet } from "./machineset.ts";
import { ClusterClass, ExtensionConfig } from "./refused-kinds.ts";
import { RemediationPolicy } from "./remediation-policy.ts";

/** Conditions of workers that a Cluster sums up. */
export type WorkerCondition = "Available" | "RollingOut" | "ScalingUp" | "ScalingDown";

/** How the objects of a kind go with their Cluster. */
export interface DescendantTraits {
  /** The name in messages: `* MachinePools: a, b`. */
  readonly label: string;
  /** Place in messages, ascending. */
  readonly place: number;
  /** Direct children of a deleted Cluster are deleted in ascending order. */
  readonly deleteOrder: number;
  /** The label of control plane Machines, where the kind has them. */
  readonly controlPlaneLabel?: string;
}

/** How the objects of a kind count as workers of a Cluster: they have replicas, counters and a template of Machines. */
interface WorkerTraits {
  /** Which of them count; `owned`: not those of an owner that counts itself. */
  readonly counted: "all" | "owned";
  /** It controls Machines, and makes config and infrastructure machine of each. */
  readonly makesMachines?: true;
  /** Fields that say whether one counts, beside its counters. */
  readonly countedBy: readonly string[];
  /** `expected`: the Cluster's condition waits for one that is not reported yet; absent: the kind takes no part. */
  readonly conditions: { readonly [condition in WorkerCondition]?: "expected" | "reported" };
}

/**
 * Facts about a kind of the core that others must know. A kind is its folder of functions, its schema beside this file, and one
 * row of this table: deletion and status of a Cluster, take-over, `up`, `explain` and the registry read it.
 */
export interface Traits {
  readonly kind: Kind;
  /** How it counts as a descendant; absent where a Cluster is deleted without regard to it. */
  readonly descendant?: DescendantTraits;
  /** How it makes Machines; absent where it makes no Machines. */
  readonly workers?: WorkerTraits;
  /** Take-over pauses those with a lower number first, which make and remove the others. Absent: Capstan does not run it. */
  readonly takeOver?: number;
  /**
   * `capstan up` waits for this phase, for as many `status.nodeRefs` as replicas, and for the condition Available. Absent:
   * it waits for none of them.
   */
  readonly ready?: { readonly phase: string; readonly nodes?: true; readonly available?: true };
  /** It has no functions: others look for it, and do not care whose installation serves it. */
  readonly isServedOnly?: true;
}

/** The kinds of the core in the order in which they are installed. */
export const TRAITS: readonly Traits[] = [
  { kind: Cluster, takeOver: 6, ready: { phase: "Provisioned", available: true } },
  {
    kind: MachinePool,
    descendant: { label: "MachinePools", place: 3, deleteOrder: 1 },
    workers: {
      counted: "all",
      countedBy: [],
      conditions: {
        Available: "reported",
        RollingOut: "reported",
        ScalingUp: "reported",
        ScalingDown: "reported",
      },
    },
    takeOver: 4,
    ready: { phase: "Running", nodes: true },
  },
  {
    kind: Machine,
    descendant: {
      label: "Worker Machines",
      place: 4,
      deleteOrder: 4,
      controlPlaneLabel: "Control plane Machines",
    },
    takeOver: 5,
  },
  {
    kind: MachineDeployment,
    descendant: { label: "MachineDeployments", place: 1, deleteOrder: 2 },
    workers: {
      counted: "all",
      countedBy: [],
      conditions: {
        Available: "expected",
        RollingOut: "expected",
        ScalingUp: "expected",
        ScalingDown: "expected",
      },
    },
    takeOver: 2,
    ready: { phase: "Running", available: true },
  },
  { kind: MachineDrainRule },
  {
    kind: MachineSet,
    descendant: { label: "MachineSets", place: 2, deleteOrder: 3 },
    workers: {
      counted: "owned",
      makesMachines: true,
      countedBy: ["metadata.ownerReferences"],
      // A MachineSet never rolls out.
      conditions: { ScalingUp: "expected", ScalingDown: "expected" },
    },
    takeOver: 3,
  },
  { kind: MachineHealthCheck, takeOver: 1 },
  { kind: RemediationPolicy },
  { kind: ClusterResourceSet },
  { kind: ClusterResourceSetBinding },
  { kind: IPAddress, isServedOnly: true },
  { kind: IPAddressClaim, isServedOnly: true },
  { kind: ClusterClass, isServedOnly: true },
  { kind: ExtensionConfig, isServedOnly: true },
];

/** Returns the traits of a kind of the core; none for other kinds. */
export function traitsOf({ group, kind }: Pick<Kind, "group" | "kind">): Omit<Traits, "kind"> {
  return TRAITS.find((row) => row.kind.group === group && row.kind.kind === kind) ?? {};
}

/** Names of the CRDs of kinds that are only served. */
export const SERVED_ONLY: ReadonlySet<string> = new Set(
  TRAITS.flatMap(({ kind: { plural, group }, isServedOnly }) =>
    isServedOnly === true ? [`${plural}.${group}`] : [],
  ),
);
