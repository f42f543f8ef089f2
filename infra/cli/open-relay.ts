import { type Relay, type RelayOptions, startRelay } from "../relay/relay.ts";
import { newIdentity, podNamespace } from "./pod.ts";

/** Scope of a relay and its leader election, from the command line. */
export interface RelayScope extends Pick<RelayOptions, "namespaces" | "watchFilter" | "kubeconfigSecrets"> {
  /** Work only while it holds a Lease. */
  readonly leaderElect?: boolean | undefined;
  /** Namespace of the Lease; absent = the Pod's, outside of a Pod kube-system. */
  readonly leaderElectNamespace?: string | undefined;
}

export async function openRelay(options: RelayOptions, scope: RelayScope): Promise<Relay> {
  const { namespaces, watchFilter, kubeconfigSecrets, leaderElect = false } = scope;
  const scoped = { ...options, namespaces, watchFilter, kubeconfigSecrets };
  if (!leaderElect) return startRelay(scoped);
  const [{ startElectedRelay }, { leaseKey }] = await Promise.all([
    import("../relay/elected-relay.ts"),
    import("../relay/lease-name.ts"),
  ]);
  const leaseNamespace = scope.leaderElectNamespace ?? (await podNamespace());
  const lease = leaseKey(leaseNamespace, "capstan-relay", scopeTexts(scope));
  return startElectedRelay({ ...scoped, lease, identity: newIdentity() });
}

/** Names the scope in its Lease, so that other scopes have another one. */
export function scopeTexts({ namespaces = [], watchFilter }: RelayScope): readonly string[] {
  return [...namespaces, ...(watchFilter === undefined ? [] : [watchFilter])];
}
