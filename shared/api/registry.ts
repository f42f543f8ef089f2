import { Cluster } from "./cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Event, Namespace, Node, Secret } from "./core.ts";
import type { Kind } from "./kinds.ts";
import { Machine } from "./machine/machine.ts";
import { MachineDrainRule } from "./machine/machine-drain-rule.ts";
import { MachineDeployment } from "./machinedeployment.ts";
import { MachineHealthCheck } from "./machinehealthcheck.ts";
import { MachinePool } from "./machinepool.ts";
import { MachineSet } from "./machineset.ts";
import { RemediationPolicy } from "./remediation-policy.ts";
import { DaemonSet, PersistentVolume, Pod, VolumeAttachment } from "./workload.ts";

/** Every kind of the core that Capstan has a type for. Capstan installs those with `crd`. */
export const KINDS: readonly Kind[] = [
  Node,
  Secret,
  Namespace,
  Event,
  CustomResourceDefinition,
  Connection,
  Pod,
  DaemonSet,
  VolumeAttachment,
  PersistentVolume,
  Cluster,
  MachinePool,
  Machine,
  MachineDeployment,
  MachineDrainRule,
  MachineSet,
  MachineHealthCheck,
  RemediationPolicy,
];

/** Finds a kind by its name; `undefined` for kinds that only the CRDs of a cluster define. */
export type KindLookup = (group: string, kind: string) => Kind | undefined;

export function lookupIn(kinds: readonly Kind[]): KindLookup {
  const byName = new Map(kinds.map((kind) => [`${kind.group}/${kind.kind}`, kind]));
  return (group, kind) => byName.get(`${group}/${kind}`);
}

/** Finds a kind of the core. Those of a provider are known where its functions are, see `knownKinds`. */
export const kindOf = lookupIn(KINDS);
