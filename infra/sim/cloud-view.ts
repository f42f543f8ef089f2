import type { SimInstance, SimServer } from "../../shared/api/sim/sim-cloud.ts";
import type { WorkloadServer } from "./workload-server.ts";

/** A workload server that runs for the SimServer with this key and uid. */
export interface RunningServer extends WorkloadServer {
  readonly key: string;
  readonly uid: string;
  /** Whether one of its API servers has run. */
  hasServed: boolean;
  /** Version of the authority that cannot sign, once it has been logged. */
  refusedAuthority?: string | undefined;
}

/** State of the cloud; all but `ports` is read again from the management API server after a restart. */
export interface CloudView {
  /** By `<namespace>/<name>`; a SimServer has the name of its Cluster. */
  readonly servers: Map<string, SimServer>;
  readonly instances: Map<string, SimInstance>;
  readonly running: Map<string, RunningServer>;
  /** Ports of servers that are gone: a new server of the same name takes the port over, as behind a load balancer. */
  readonly ports: Map<string, number>;
  /** Keys of each server's instances. */
  readonly instancesOf: Map<string, Set<string>>;
  /** Control plane instances whose API server runs: key → key of the SimServer. */
  readonly apiServers: Map<string, string>;
}

export function createCloudView(): CloudView {
  return {
    servers: new Map(),
    instances: new Map(),
    running: new Map(),
    ports: new Map(),
    instancesOf: new Map(),
    apiServers: new Map(),
  };
}

/** Whether the API server of one of a server's control plane instances runs. */
export function hasApiServer({ apiServers }: CloudView, serverKey: string): boolean {
  return [...apiServers.values()].includes(serverKey);
}

/** Returns the key of the SimServer whose Cluster an instance belongs to. */
export function serverKeyOf({ metadata, spec }: SimInstance): string {
  return `${metadata.namespace ?? ""}/${spec.clusterName}`;
}

export function rememberInstance(view: CloudView, key: string, instance: SimInstance | undefined): void {
  const known = instance ?? view.instances.get(key);
  if (known === undefined) return;
  const siblings = view.instancesOf.get(serverKeyOf(known)) ?? new Set();
  view.instancesOf.set(serverKeyOf(known), siblings);
  if (instance === undefined) {
    view.instances.delete(key);
    siblings.delete(key);
  } else {
    view.instances.set(key, instance);
    siblings.add(key);
    // After a restart of this process its API server is back at once.
    if (instance.spec.controlPlane === true && instance.status?.phase === "Running") {
      view.apiServers.set(key, serverKeyOf(instance));
    }
  }
}
