import type { Node } from "../../../shared/api/core.ts";
import type { World } from "../play/world.ts";
import { parsed, placeOf } from "./sent-write.ts";

interface KnownNode {
  readonly name: string;
  readonly uid: string;
  readonly providerID: string | undefined;
}

/** The Nodes of all workload servers, as their own API servers have reported. */
export interface KnownNodes {
  ever(uid: string): KnownNode | undefined;
  /** Undefined also when its server is gone, or is another one that does not have it. */
  living(uid: string): KnownNode | undefined;
}

const known = new WeakMap<World, KnownNodes>();
const NOT_FOUND = 404;

/** Returns the same instance for all callers in one world; call it before the world starts. */
export function nodesOf(world: World): KnownNodes {
  const already = known.get(world);
  if (already !== undefined) return already;
  const ever = new Map<string, KnownNode & { readonly server: string }>();
  /** By server and name: the uid of the Node that is there. */
  const present = new Map<string, string>();
  world.network.witness(({ server, request, code, text }) => {
    const place = placeOf(request.path);
    if (server === world.management.address || place?.type !== "/nodes" || place.subresource !== "") return;
    const at = `${server} ${place.name}`;
    if (code === NOT_FOUND) present.delete(at);
    if (request.method === "GET" || code >= 300) return;
    if (request.method === "DELETE") {
      present.delete(at);
      return;
    }
    const { metadata, spec } = (parsed(text) ?? {}) as Partial<Node>;
    if (metadata?.uid === undefined) return;
    const { name, uid } = metadata;
    present.set(`${server} ${name}`, uid);
    ever.set(uid, { name, uid, providerID: spec?.providerID, server });
  });
  const nodes: KnownNodes = {
    ever: (uid) => ever.get(uid),
    living(uid) {
      const node = ever.get(uid);
      if (node === undefined || !world.network.servers.includes(node.server)) return undefined;
      return present.get(`${node.server} ${node.name}`) === uid ? node : undefined;
    },
  };
  known.set(world, nodes);
  return nodes;
}
