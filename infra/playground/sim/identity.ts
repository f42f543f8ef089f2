import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { SimInstance, SimServer } from "../api/sim-cloud.ts";

/** Returns the text by which a server is found again, whatever its object: from spec and metadata, never a uid. */
export function serverID(server: SimServer): string {
  return server.spec.serverID ?? defaultID(server);
}

/** Returns the text by which an instance is found again; its Node repeats it as its provider ID. */
export function instanceID(instance: SimInstance): string {
  return instance.spec.providerID ?? defaultID(instance);
}

function defaultID({ metadata: { namespace = "", name } }: KubeObject): string {
  return `sim://${namespace}/${name}`;
}
