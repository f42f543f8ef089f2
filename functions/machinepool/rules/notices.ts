import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { sameJson } from "../../../shared/api/path.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import type { NodeReport } from "./nodes.ts";

/** From here on `providerIDList` and `nodeRefs` come near the size limit of etcd (1.5 MiB). */
const MANY_INSTANCES = 4_000;

/**
 * What people should hear about the Nodes of a pool; counts, never lists. The size is told once per change of the
 * spec, the list being part of it. Source: machinepool.md 6.3 and 16.9
 */
export function poolNotices(pool: MachinePool, report: NodeReport): readonly Notice[] {
  const { matched, readyReplicas, claimedTwice, nodeRefs } = report;
  const { spec, status, metadata } = pool;
  const changed = matched !== undefined && !sameJson(status?.nodeRefs ?? [], nodeRefs);
  const many = (spec.providerIDList?.length ?? 0) >= MANY_INSTANCES;
  return [
    ...(changed
      ? [normal("SuccessfulSetNodeRefs", `${matched.length} Nodes, ${readyReplicas} of them ready`)]
      : []),
    ...claimedTwice.map((providerID) =>
      warning("DuplicateProviderID", `more than one Node has the provider ID ${providerID}`),
    ),
    ...(many && status?.observedGeneration !== metadata.generation
      ? [warning("TooManyInstances", `${MANY_INSTANCES} instances or more; split the pool before 10000`)]
      : []),
  ];
}

function normal(reason: string, message: string): Notice {
  return { type: "Normal", reason, message };
}

function warning(reason: string, message: string): Notice {
  return { type: "Warning", reason, message };
}
