import type { Node } from "../../../shared/api/core.ts";
import type { World } from "../world.ts";
import { parsed, placeOf } from "./sent-write.ts";

interface KnownNode {
  readonly name: string;
  readonly uid: string;
  readonly providerID: string | undefined;
}

/** The Nodes of all workload servers, as their own API servers have told. */
export interface KnownNodes {
  ever(uid: string): KnownNode | undefined;
  living(uid: string): KnownNode | undefined;
}

const known = new WeakMap<World, KnownNodes>();

/** The same for everybody who asks in one world; ask before it starts. */
export function nodesOf(world: World): KnownNodes {
  const already = known.get(world);
  if (already !== undefined) return already;
  const ever = new Map<string, KnownNode>();
  const gone = new Set<string>();
  world.network.witness(({ server, request, code, text }) => {
    if (server === world.management.address || request.method === "GET" || code >= 300) return;
    const place = placeOf(request.path);
    if (place?.type !== "/nodes" || place.subresource !== "") return;
    const node = parsed(text) as (Node & { readonly details?: { readonly uid?: string } }) | undefined;
    if (request.method === "DELETE") gone.add(node?.metadata?.uid ?? node?.details?.uid ?? "");
    else if (node?.metadata.uid !== undefined)
      ever.set(node.metadata.uid, { ...summary(node), uid: node.metadata.uid });
  });
  const nodes: KnownNodes = {
    ever: (uid) => ever.get(uid),
    living: (uid) => (gone.has(uid) ? undefined : ever.get(uid)),
  };
  known.set(world, nodes);
  return nodes;
}

function summary({ metadata, spec }: Node): Omit<KnownNode, "uid"> {
  return { name: metadata.name, providerID: spec?.providerID };
}
