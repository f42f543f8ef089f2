import { type RuleText, textsOf } from "../rule.ts";

const BOOK = "https://cluster-api.sigs.k8s.io/developer/providers/contracts";

/** Rules that only a running provider decides (A4). */
export const PROBE_RULES: readonly RuleText[] = textsOf([
  {
    id: "IMP-21",
    level: "MUST",
    artefact: "A4",
    sentence:
      "Where `status.infrastructureMachineKind` is set, each replica has an object of that kind in the namespace of the pool, with the labels of its MachinePool and its Cluster, and with `spec.providerID` once it is known",
    effect:
      "core applies one Machine for each of these objects; without them the MachinePool has no Machines",
    source: "core/reconcilers/machinepool/machinepool_controller_phases.go",
  },
  {
    id: "IMP-25",
    level: "SHOULD",
    artefact: "A4",
    sentence:
      "The provider rests while the Cluster is paused or the object has the annotation `cluster.x-k8s.io/paused`, and reports the condition `Paused`",
    effect: "`clusterctl move` is not safe",
    source: `${BOOK}/infra-machinepool`,
  },
  {
    id: "IMP-28",
    level: "MUST",
    artefact: "A4",
    sentence: "A dry run of server-side apply by the topology on the template is accepted",
    effect: "each Cluster of the ClusterClass is blocked",
    source: `${BOOK}/infra-machinepool`,
  },
  {
    id: "IMP-30",
    level: "MUST",
    artefact: "A4",
    sentence:
      "The provider keeps the owner reference to the MachinePool and the label of the Cluster, and sets no other controller",
    effect: "core rewrites the reference on each reconcile; another controller is an error",
    source: "core/reconcilers/machinepool/machinepool_controller_phases.go",
  },
  {
    id: "IMP-33",
    level: "MUST",
    artefact: "A4",
    sentence: "A deleted pool goes away without waiting for its MachinePool or bootstrap config",
    effect: "the deletion of the MachinePool never ends",
    source: "core/reconcilers/machinepool/machinepool_controller.go",
  },
  {
    id: "IC-20",
    level: "SHOULD",
    artefact: "A4",
    sentence: "The provider leaves objects with the annotation `cluster.x-k8s.io/managed-by` alone",
    effect: "two managers write the same object",
    source: `${BOOK}/infra-cluster`,
  },
  {
    id: "IC-21",
    level: "SHOULD",
    artefact: "A4",
    sentence:
      "The provider rests while the Cluster or the object is paused, and reports the condition `Paused`",
    effect: "`clusterctl move` is not safe",
    source: `${BOOK}/infra-cluster`,
  },
  {
    id: "IC-22",
    level: "MUST",
    artefact: "A4",
    sentence: "A provider that does not supply the endpoint waits until the Cluster has one",
    effect: "the cluster is reported as provisioned without an API server address",
    source: `${BOOK}/infra-cluster`,
  },
  {
    id: "IC-23",
    level: "MUST",
    artefact: "A4",
    sentence:
      "The provider keeps the owner reference to the Cluster and the label of the Cluster, and the object stays after it was provisioned",
    effect: "core reports that the object was deleted after it was provisioned",
    source: "core/reconcilers/cluster/cluster_controller_phases.go",
  },
  {
    id: "IM-23",
    level: "MUST",
    artefact: "A4",
    sentence: "A dry run of server-side apply by the topology on the template is accepted",
    effect: "each Cluster of the ClusterClass is blocked",
    source: `${BOOK}/infra-machine`,
  },
  {
    id: "IM-24",
    level: "SHOULD",
    artefact: "A4",
    sentence:
      "The provider rests while the Cluster or the object is paused, and reports the condition `Paused`",
    effect: "`clusterctl move` is not safe",
    source: `${BOOK}/infra-machine`,
  },
  {
    id: "IM-25",
    level: "MUST",
    artefact: "A4",
    sentence:
      "The provider accepts the Machine as controller and the label of the Cluster, places the instance in the failure domain of the Machine, and a deleted object goes away without waiting for its Machine",
    effect: "the Machine fails, is in another failure domain, or is never deleted",
    source: "core/reconcilers/machine/machine_controller_phases.go",
  },
  {
    id: "BC-20",
    level: "MUST",
    artefact: "A4",
    sentence: "The name of the Secret with bootstrap data follows from spec and metadata",
    effect: "the name is lost in a move, because status is never restored",
    source: `${BOOK}/bootstrap-config`,
  },
  {
    id: "BC-22",
    level: "SHOULD",
    artefact: "A2/A4",
    sentence:
      "The provider rests while paused, accepts a dry run on the template, and its manager accepts `--namespace` and `--watch-filter`",
    effect: "`clusterctl move` is not safe, or a ClusterClass is blocked",
    source: `${BOOK}/bootstrap-config`,
  },
  {
    id: "IP-16",
    level: "MUST",
    artefact: "A4",
    sentence: "Claims of a paused or missing Cluster rest",
    effect: "addresses change while the Cluster moves",
    source: `${BOOK}/ipam`,
  },
  {
    id: "CP-23",
    level: "MUST",
    artefact: "A4",
    sentence:
      "Machines of the control plane have the label `cluster.x-k8s.io/control-plane`, the label of the Cluster, and the control plane as controller",
    effect:
      "core takes them for workers: health checks, drains and the selection of the control plane go wrong",
    source: `${BOOK}/control-plane`,
  },
  {
    id: "CP-37",
    level: "SHOULD",
    artefact: "A4",
    sentence: "Machines are spread over the failure domains that the Cluster has for control planes",
    effect: "one failure domain takes the whole control plane with it",
    source: `${BOOK}/control-plane`,
  },
  {
    id: "CP-38",
    level: "MUST",
    artefact: "A4",
    sentence:
      "Changes of metadata, timeouts, readiness gates, taints and minReadySeconds reach existing Machines without a rollout",
    effect: "a change of a label replaces each Machine of the control plane",
    source: `${BOOK}/control-plane`,
  },
  {
    id: "CP-39",
    level: "SHOULD",
    artefact: "A4",
    sentence: "The provider sets `spec.minReadySeconds` and the condition `UpToDate` of its Machines",
    effect: "availability and rollouts are reported wrongly",
    source: `${BOOK}/control-plane`,
  },
  {
    id: "CP-40",
    level: "SHOULD",
    artefact: "A4",
    sentence:
      "A provider that advertises in-place updates calls `CanUpdateMachine` and marks Machines that are updated in place",
    effect: "Machines are replaced where an update in place was possible",
    source: `${BOOK}/control-plane`,
  },
  {
    id: "CP-41",
    level: "SHOULD",
    artefact: "A4",
    sentence:
      "The provider rests while the Cluster or the object is paused, and reports the condition `Paused`",
    effect: "`clusterctl move` is not safe",
    source: `${BOOK}/control-plane`,
  },
  {
    id: "CP-42",
    level: "MUST",
    artefact: "A4",
    sentence: "A provider that does not supply the endpoint waits until the Cluster has one",
    effect: "the control plane starts with an address that is not known",
    source: `${BOOK}/control-plane`,
  },
  {
    id: "CP-44",
    level: "MUST",
    artefact: "A4",
    sentence:
      "The provider keeps the owner reference to the Cluster and the label of the Cluster, and the object stays after it was initialized",
    effect: "core reports that the object was deleted after it was initialized",
    source: "core/reconcilers/cluster/cluster_controller_phases.go",
  },
]);
