import { type Relay, type RelayOptions, startRelay } from "../relay/relay.ts";
import { newIdentity, podNamespace } from "./pod.ts";

/** Scope of a relay and its leader election, from the command line. */
export interface RelayScope extends Pick<RelayOptions, "namespaces" | "watchFilter" | "kubeconfigSecrets"> {
  /** Work only while it holds a Lease. */
  readonly leaderElect?: boolean | undefined;
  /** Namespace of the Leases; absent = the Pod's, outside of a Pod kube-system. */
  readonly leaderElectNamespace?: string | undefined;
  /** Only share the workload clusters with others, or only watch the management cluster. Absent: both. */
  readonly workloads?: boolean | undefined;
}

export async function openRelay(options: RelayOptions, scope: RelayScope): Promise<Relay> {
  const { namespaces, watchFilter, kubeconfigSecrets, workloads, leaderElect = false } = scope;
  const connectsWorkloads = workloads !== false;
  const scoped = { ...options, namespaces, watchFilter, kubeconfigSecrets, connectsWorkloads };
  if (workloads !== true && !leaderElect) return startRelay(scoped);
  const { leaseKey } = await import("../relay/lease-name.ts");
  const leaseNamespace = scope.leaderElectNamespace ?? (await podNamespace());
  const leaseOf = (name: string) => leaseKey(leaseNamespace, name, scopeTexts(scope));
  const identity = newIdentity();
  if (workloads === true) {
    const [{ startWorkloadRelay }, { SHARD_LEASE }] = await Promise.all([
      import("../relay/shards/workload-relay.ts"),
      import("../relay/shards/shard-names.ts"),
    ]);
    return startWorkloadRelay({ ...scoped, lease: leaseOf(SHARD_LEASE), identity });
  }
  const { startElectedRelay } = await import("../relay/elected-relay.ts");
  return startElectedRelay({ ...scoped, lease: leaseOf("capstan-relay"), identity });
}

/** Names the scope in its Lease, so that other scopes have another one. */
export function scopeTexts({ namespaces = [], watchFilter }: RelayScope): readonly string[] {
  return [...namespaces, ...(watchFilter === undefined ? [] : [watchFilter])];
}
