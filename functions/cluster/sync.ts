import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { ControlPlane } from "../../shared/contract/control-plane.ts";
import { InfraCluster } from "../../shared/contract/infra-cluster.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import {
  defineFunction,
  type Notice,
  type StepContext,
  watch,
  watchContract,
} from "../../shared/function/define-function.ts";
import { itself, referencing, referencingKind } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { OWN_FIELDS } from "../../shared/rules/providers/adoption.ts";
import {
  awaitedEndpoint,
  desiredEndpoint,
  ENDPOINT_FIELDS,
  type Endpoint,
  endpointFrom,
  formatEndpoint,
  isValidEndpoint,
  reportedEndpoint,
} from "./rules/endpoint.ts";
import { CLUSTER_HOLD_FIELDS, clusterHold } from "./rules/hold.ts";
import { INITIALIZED_FIELDS, PROVISIONED_FIELDS } from "./rules/latches.ts";
import { type ClusterProviders, referenceOf } from "./rules/providers.ts";
import { readProviders } from "./rules/reads.ts";

const SOURCE_FIELDS = [...OWN_FIELDS, ...ENDPOINT_FIELDS] as const;

export const clusterSync = defineFunction<Cluster>(
  {
    name: "cluster-sync",
    summary: "Copies the control plane endpoint into the Cluster, once.",
    source: "core/reconcilers/cluster/cluster_controller_phases.go",
    reconciles: Cluster,
    actsOn: "living",
    watches: [
      watch(
        Cluster,
        ["metadata.uid", ...CLUSTER_HOLD_FIELDS, "spec.controlPlaneEndpoint", "status.initialization"],
        itself,
      ),
      watchContract(InfraCluster, [...SOURCE_FIELDS, ...PROVISIONED_FIELDS], referencing),
      watchContract(ControlPlane, [...SOURCE_FIELDS, ...INITIALIZED_FIELDS], referencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
    ],
    owns: [],
    ownsOn: [{ kind: Cluster, fields: ENDPOINT_FIELDS }],
    readsLive: [InfraCluster, ControlPlane],
    queue: { settleMs: 50 },
  },
  async (cluster, { read }) => {
    const hold = clusterHold(cluster);
    if (hold !== undefined) return { result: hold };
    const providers = await readProviders(read, cluster);
    const { controlPlaneEndpoint } = cluster.spec;
    if (isValidEndpoint(controlPlaneEndpoint)) {
      return { events: divergence(cluster, controlPlaneEndpoint, providers), result: done };
    }
    const endpoint = await confirmedEndpoint(cluster, providers, read);
    if (endpoint === undefined) return { result: waitFor(awaitedEndpoint(cluster, providers)) };
    const value = { host: endpoint.host, port: endpoint.port };
    return {
      patch: [
        {
          target: refTo(Cluster, cluster),
          operations: [{ op: "add", path: "/spec/controlPlaneEndpoint", value }],
        },
      ],
      result: done,
    };
  },
);

/** A wrong first value would stay for ever, so the source is asked once more, live. */
async function confirmedEndpoint(
  cluster: Cluster,
  providers: ClusterProviders,
  read: StepContext["read"],
): Promise<Endpoint | undefined> {
  const desired = desiredEndpoint(cluster, providers);
  if (desired === "keep") return undefined;
  const reference = referenceOf(cluster, desired.role);
  if (reference === undefined) return undefined;
  const source = await read.live.referenced(reference, cluster.metadata.namespace ?? "");
  return endpointFrom(desired.role, cluster, source);
}

function divergence(cluster: Cluster, kept: Endpoint, providers: ClusterProviders): readonly Notice[] {
  const reported = reportedEndpoint(cluster, providers);
  if (reported === undefined) return [];
  const [now, before] = [formatEndpoint(reported), formatEndpoint(kept)];
  if (now === before) return [];
  const who = referenceOf(cluster, reported.role)?.kind ?? "";
  // Named after the value, so that one Event is sent per value.
  const message = `${who} reports control plane endpoint ${now}, the Cluster keeps ${before}`;
  return [{ type: "Warning", reason: "ControlPlaneEndpointChanged", message }];
}
