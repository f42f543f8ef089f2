import { Node } from "../../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";

/** Returns a client that reports the version of each Node that it has written. */
export function reportingWrites(client: KubeClient, report: (resourceVersion: string) => void): KubeClient {
  const reported = async (kind: Kind, written: Promise<KubeObject>): Promise<KubeObject> => {
    const answer = await written;
    const { resourceVersion } = answer.metadata;
    if (isNode(kind) && resourceVersion !== undefined) report(resourceVersion);
    return answer;
  };
  return {
    ...client,
    create: (kind, ...rest) => reported(kind, client.create(kind, ...rest)),
    jsonPatch: (kind, ...rest) => reported(kind, client.jsonPatch(kind, ...rest)),
    apply: (kind, ...rest) => reported(kind, client.apply(kind, ...rest)),
  };
}

function isNode({ group, kind }: Kind): boolean {
  return group === Node.group && kind === Node.kind;
}
