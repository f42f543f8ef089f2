import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { SimInstance, SimServer } from "../api/sim-cloud.ts";
import { type Claims, type ClaimsOptions, clusterKeyOf, createClaims, type Thing } from "./claims.ts";
import type { WorkloadServer } from "./workload-server.ts";

/** Returns the text by which a server is found again, whatever its object: from spec and metadata, never a uid. */
function serverID(server: SimServer): string {
  return server.spec.serverID ?? defaultID(server);
}

/** Returns the text by which an instance is found again; its Node repeats it as its provider ID. */
export function instanceID(instance: SimInstance): string {
  return instance.spec.providerID ?? defaultID(instance);
}

function defaultID({ metadata: { namespace = "", name } }: KubeObject): string {
  return `sim://${namespace}/${name}`;
}

/** A workload server that runs. */
export interface RunningServer extends WorkloadServer {
  /** Identity of its SimServer. */
  readonly id: string;
  /** `<namespace>/<name>` of its Cluster. */
  readonly cluster: string;
  /** Whether one of its API servers has run. */
  hasServed: boolean;
  /** Version of the authority that cannot sign, once it has been logged. */
  refusedAuthority?: string | undefined;
}

/** State of the cloud, by identity. */
export interface CloudView {
  readonly servers: Claims<SimServer>;
  readonly instances: Claims<SimInstance>;
  readonly running: Map<string, RunningServer>;
  /** Ports of servers that are gone, by place: a new server there takes the port over, as behind a load balancer. */
  readonly ports: Map<string, number>;
  /** Control plane instances whose API server runs. */
  readonly apiServers: Set<string>;
  /** The server of each instance, as last seen: it stays when the objects of both are let go. */
  readonly homes: Map<string, string>;
}

/** Both get the id of what has changed. */
export function createCloudView(
  onServer: ClaimsOptions<SimServer>["onChange"],
  onInstance: ClaimsOptions<SimInstance>["onChange"],
): CloudView {
  return {
    servers: createClaims({ idOf: serverID, onChange: onServer }),
    instances: createClaims({ idOf: instanceID, onChange: onInstance }),
    running: new Map(),
    ports: new Map(),
    apiServers: new Set(),
    homes: new Map(),
  };
}

/** The id of the server of an instance; `undefined` while no SimServer of its Cluster has been seen. */
export function homeOf(
  { servers, homes }: CloudView,
  { id, claims }: Thing<SimInstance>,
): string | undefined {
  for (const { management, object } of claims.values()) {
    const home = servers.idAt(management, clusterKeyOf(object));
    if (home !== undefined) homes.set(id, home);
  }
  return homes.get(id);
}

/** The ids of the instances of a server. */
export function instancesOf(view: CloudView, server: string): readonly string[] {
  return [...view.instances.things.values()]
    .filter((instance) => homeOf(view, instance) === server)
    .map(({ id }) => id);
}

/** Whether the API server of one of a server's control plane instances runs. */
export function hasApiServer(view: CloudView, server: string): boolean {
  return [...view.apiServers].some((id) => {
    const instance = view.instances.things.get(id);
    return instance !== undefined && homeOf(view, instance) === server;
  });
}
