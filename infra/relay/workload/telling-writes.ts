import { Node } from "../../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";

/** A client that tells the version of each Node that it has written. */
export function tellingWrites(client: KubeClient, tell: (resourceVersion: string) => void): KubeClient {
  const told = async (kind: Kind, written: Promise<KubeObject>): Promise<KubeObject> => {
    const answer = await written;
    const { resourceVersion } = answer.metadata;
    if (isNode(kind) && resourceVersion !== undefined) tell(resourceVersion);
    return answer;
  };
  return {
    ...client,
    create: (kind, ...rest) => told(kind, client.create(kind, ...rest)),
    jsonPatch: (kind, ...rest) => told(kind, client.jsonPatch(kind, ...rest)),
    apply: (kind, ...rest) => told(kind, client.apply(kind, ...rest)),
  };
}

function isNode({ group, kind }: Kind): boolean {
  return group === Node.group && kind === Node.kind;
}
