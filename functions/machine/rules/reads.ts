import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { ObjectKey } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import type { MachineProviders } from "./providers.ts";

/** The fields by which the provider objects of a Machine are found. */
export const REFERENCE_FIELDS = ["spec.bootstrap.configRef", "spec.infrastructureRef"] as const;

/** Where the Cluster of a Machine is. */
export function clusterKeyOf({ metadata, spec }: Machine): ObjectKey {
  return { namespace: metadata.namespace ?? "", name: spec.clusterName };
}

export async function readCluster(read: Pick<Reader, "get">, machine: Machine): Promise<Cluster | undefined> {
  return read.get(Cluster, clusterKeyOf(machine));
}

/** Config and infrastructure machine, from snapshots or, given `read.live`, from the API server. */
export async function readProviders(
  read: Pick<Reader, "referenced">,
  { metadata, spec }: Machine,
): Promise<MachineProviders> {
  const { configRef } = spec.bootstrap;
  const { namespace = "" } = metadata;
  const [bootstrap, infrastructure] = await Promise.all([
    configRef === undefined ? undefined : read.referenced(configRef, namespace),
    read.referenced(spec.infrastructureRef, namespace),
  ]);
  return { bootstrap, infrastructure };
}
