// The kinds and their parts that functions name.
export { Cluster, type ClusterStatus } from "./cluster/cluster.ts";
export { ClusterResourceSet, ClusterResourceSetBinding } from "./clusterresourceset.ts";
export { ConfigMap, Connection, Namespace, Node, ResourceSecret, Secret } from "./core.ts";
export { CLUSTER_NAME_LABEL } from "./indexes.ts";
export { objectKeyOf, refTo, workloadCluster } from "./kinds.ts";
export { MACHINE_FINALIZER, Machine } from "./machine/machine.ts";
export { MachineDrainRule } from "./machine/machine-drain-rule.ts";
export { MachineDeployment } from "./machinedeployment.ts";
export { MachineHealthCheck } from "./machinehealthcheck.ts";
export { MachinePool } from "./machinepool.ts";
export { MachineSet, SET_FINALIZER } from "./machineset.ts";
export { type RemediationEntry, RemediationPolicy } from "./remediation-policy.ts";
export { DaemonSet, PersistentVolume, Pod, VolumeAttachment } from "./workload.ts";
