import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { type Relay, type RelayOptions, startRelay } from "../relay/relay.ts";

/** Scope of a relay and its leader election, from the command line. */
export interface RelayScope extends Pick<RelayOptions, "namespace" | "watchFilter"> {
  /** Work only while it holds a Lease. */
  readonly leaderElect?: boolean | undefined;
  /** Namespace of the Lease; absent = the Pod's, outside of a Pod kube-system. */
  readonly leaderElectNamespace?: string | undefined;
}

const POD_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

export async function openRelay(options: RelayOptions, scope: RelayScope): Promise<Relay> {
  const { namespace, watchFilter, leaderElect = false } = scope;
  const scoped = { ...options, namespace, watchFilter };
  if (!leaderElect) return startRelay(scoped);
  const { relayLease, startElectedRelay } = await import("../relay/elected-relay.ts");
  const lease = relayLease(scope.leaderElectNamespace ?? (await podNamespace()), scope);
  return startElectedRelay({ ...scoped, lease, identity: `${hostname()}_${randomUUID()}` });
}

async function podNamespace(): Promise<string> {
  return readFile(POD_NAMESPACE, "utf8").then(
    (text) => text.trim(),
    () => "kube-system",
  );
}
