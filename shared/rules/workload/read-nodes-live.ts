import { Node } from "../../api/core.ts";
import type { ClusterName } from "../../api/kinds.ts";
import type { LiveReader } from "../../function/reads.ts";

/**
 * The number of live reads that wait side by side. A server takes 100 requests a second from us, and a run that would
 * wait for more than ten seconds is refused (KC-09): a thousand Nodes asked for at once would never all be answered.
 */
const SIDE_BY_SIDE = 100;
/** The number of Nodes above which a list is fewer requests, in a cluster of up to 100,000: 500 at a time (KC-08). */
const ONE_BY_ONE = 200;

/** The Nodes of these names that the workload server has: each by a request of its own, or from a list if there are more. */
export async function readNodesLive(
  live: LiveReader,
  names: readonly string[],
  cluster: ClusterName,
  oneByOne: number = ONE_BY_ONE,
): Promise<readonly Node[]> {
  if (names.length > oneByOne) {
    return live.list(Node, { where: { path: "metadata.name", values: names } }, cluster);
  }
  const found: Node[] = [];
  for (let at = 0; at < names.length; at += SIDE_BY_SIDE) {
    const batch = names.slice(at, at + SIDE_BY_SIDE);
    const nodes = await Promise.all(batch.map((name) => live.get(Node, { namespace: "", name }, cluster)));
    found.push(...nodes.filter((node) => node !== undefined));
  }
  return found;
}
