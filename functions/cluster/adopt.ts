import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { type ContractReference, refTo } from "../../shared/api/kinds.ts";
import { ControlPlane } from "../../shared/contract/control-plane.ts";
import { InfraCluster } from "../../shared/contract/infra-cluster.ts";
import type { Referenced } from "../../shared/contract/referenced.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import {
  type Decision,
  defineFunction,
  watch,
  watchContract,
} from "../../shared/function/define-function.ts";
import { itself, referencing, referencingKind } from "../../shared/function/mappings.ts";
import { done, soonest, waitFor } from "../../shared/function/result.ts";
import { isStillOwner } from "../../shared/rules/metadata/owner-references.ts";
import { awaitedDefinition } from "../../shared/rules/providers/awaited-definition.ts";
import { clusterAdoption } from "./rules/adoption.ts";
import { clusterHold } from "./rules/hold.ts";
import { refusedMessage } from "./rules/provider-conditions.ts";
import { readClusterProviders } from "./rules/reads.ts";

const ADOPTED = ["metadata.ownerReferences", "metadata.labels[cluster.x-k8s.io/cluster-name]"] as const;

export const clusterAdopt = defineFunction<Cluster>(
  {
    name: "cluster-adopt",
    summary: "Makes the Cluster an owner of its infrastructure and control plane object.",
    source: "cluster-and-controlplane.md 3.1; core/reconcilers/cluster/cluster_controller_phases.go",
    reconciles: Cluster,
    watches: [
      watch(
        Cluster,
        [
          "metadata.uid",
          "metadata.finalizers",
          "metadata.deletionTimestamp",
          "metadata.annotations[cluster.x-k8s.io/paused]",
          "spec.paused",
          "spec.infrastructureRef",
          "spec.controlPlaneRef",
          "spec.topology",
        ],
        itself,
      ),
      watchContract(InfraCluster, ["metadata.uid", ...ADOPTED], referencing),
      watchContract(ControlPlane, ["metadata.uid", ...ADOPTED], referencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
    ],
    owns: [],
    ownsOn: [
      { kind: InfraCluster, fields: ADOPTED },
      { kind: ControlPlane, fields: ADOPTED },
    ],
  },
  async (cluster, { read }) => {
    const hold = clusterHold(cluster);
    if (hold !== undefined) return { result: hold };
    const { infrastructure, controlPlane } = await readClusterProviders(read, cluster);
    const { infrastructureRef, controlPlaneRef } = cluster.spec;
    const parts = [
      adopt(cluster, infrastructureRef, infrastructure),
      adopt(cluster, controlPlaneRef, controlPlane),
    ];
    const patch = parts.flatMap((part) => part.patch ?? []);
    const adopted = [infrastructure, controlPlane].flatMap((provider) =>
      provider?.state === "found" && patch.some(({ target }) => target.uid === provider.object.metadata.uid)
        ? [provider.object]
        : [],
    );
    // The watch of the recreated Cluster brings the next run.
    if (!(await isStillOwner(read.live, Cluster, cluster, adopted))) return { result: done };
    return {
      patch,
      events: parts.flatMap((part) => part.events ?? []),
      result: parts.map((part) => part.result).reduce(soonest, done),
    };
  },
);

/** Each object by itself: what is wrong with one does not stop the other. */
function adopt(
  cluster: Cluster,
  reference: ContractReference | undefined,
  provider: Referenced | undefined,
): Decision<Cluster, never> {
  if (reference === undefined || provider === undefined) return { result: done };
  // Without a contract label it is not known what a write would do to it (F-45).
  if (provider.state === "unresolved") return { result: waitFor(awaitedDefinition(provider, reference)) };
  if (provider.state === "missing") return { result: waitFor(`${provider.kind.kind}.metadata.uid`) };
  const { object, kind } = provider;
  const adoption = clusterAdoption(cluster, object);
  if (adoption.state === "refused") {
    const message = refusedMessage(object.kind, object.metadata.name, adoption.controller);
    return {
      events: [{ type: "Warning", reason: "ControlledByAnother", message }],
      result: waitFor(`${object.kind}.metadata.ownerReferences`),
    };
  }
  const { operations } = adoption;
  return operations.length === 0
    ? { result: done }
    : { patch: [{ target: refTo(kind, object), operations }], result: done };
}
