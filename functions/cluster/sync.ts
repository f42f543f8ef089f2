import { Cluster, refTo } from "../../shared/api/entry.ts";
import { ControlPlane, InfraCluster } from "../../shared/contract/entry.ts";
import {
  defineFunction,
  done,
  itself,
  type Notice,
  type StepContext,
  waitFor,
  watch,
  watchReferenced,
} from "../../shared/function/define-function.ts";
import { OWN_FIELDS } from "../../shared/rules/entry.ts";
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
import { WORKABLE_CLUSTER } from "./rules/hold.ts";
import { INITIALIZED_FIELDS, PROVISIONED_FIELDS } from "./rules/latches.ts";
import { type ClusterProviders, referenceOf } from "./rules/providers.ts";
import { readProviders } from "./rules/reads.ts";

const SOURCE_FIELDS = [...OWN_FIELDS, ...ENDPOINT_FIELDS] as const;

export const clusterSync = defineFunction(
  {
    name: "cluster-sync",
    summary: "Copies the control plane endpoint into the Cluster, once.",
    source: "core/reconcilers/cluster/cluster_controller_phases.go",
    reconciles: Cluster,
    actsOn: "living",
    when: WORKABLE_CLUSTER,
    settles: true,
    watches: [
      watch(Cluster, ["spec.controlPlaneEndpoint", "status.initialization"], itself),
      watchReferenced(
        [InfraCluster, [...SOURCE_FIELDS, ...PROVISIONED_FIELDS]],
        [ControlPlane, [...SOURCE_FIELDS, ...INITIALIZED_FIELDS]],
      ),
    ],
    ownsOn: [{ kind: Cluster, fields: ENDPOINT_FIELDS }],
    queue: { settleMs: 50 },
  },
  async (cluster, { read }) => {
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
