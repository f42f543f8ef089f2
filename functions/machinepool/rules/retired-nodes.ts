import type { Node } from "../../../shared/api/core.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { readStrings } from "../../../shared/contract/fields.ts";
import { infraMachinePoolPath } from "../../../shared/contract/infra-machine-pool.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { ownObject } from "./adoption.ts";
import { PROVIDER_ID_LIMITS } from "./infrastructure.ts";
import { isRefTo } from "./nodes.ts";

/** The fields of a pool that `retiredNodes` reads. */
export const RETIREMENT_FIELDS = ["spec.providerIDList", "spec.replicas", "status.nodeRefs"] as const;

/**
 * Nodes whose instance left the pool: named by a ref of the status, with a provider ID that is in neither list. None
 * while a list is empty or unreadable, unless `spec.replicas` is exactly 0; none for a foreign infrastructure object.
 */
export function retiredNodes(
  pool: MachinePool,
  infrastructure: Referenced,
  nodes: readonly Node[],
): readonly Node[] {
  const reported = reportedIDs(pool, infrastructure);
  const listed = pool.spec.providerIDList ?? [];
  if (reported === undefined) return [];
  if (pool.spec.replicas !== 0 && (reported.length === 0 || listed.length === 0)) return [];
  const present = new Set([...listed, ...reported]);
  return named(pool, nodes).filter((node) => hasLeft(node, present));
}

function reportedIDs(pool: MachinePool, infrastructure: Referenced): readonly string[] | undefined {
  const own = ownObject(pool, infrastructure);
  if (own === undefined) return undefined;
  const path = infraMachinePoolPath(own.contract, "providerIDList");
  const list = readStrings(own.object, path, PROVIDER_ID_LIMITS);
  return list.problem === undefined ? (list.value ?? []) : undefined;
}

/** The Nodes that a ref of the status means. */
function named(pool: MachinePool, nodes: readonly Node[]): readonly Node[] {
  const refs = new Map((pool.status?.nodeRefs ?? []).map((ref) => [ref.name, ref]));
  return nodes.filter((node) => {
    const ref = refs.get(node.metadata.name);
    return ref !== undefined && isRefTo(ref, node);
  });
}

function hasLeft(node: Node, present: ReadonlySet<string>): boolean {
  const providerID = node.spec?.providerID ?? "";
  return providerID !== "" && !present.has(providerID);
}
