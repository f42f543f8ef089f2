import { sameJson } from "../../../shared/api/path.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { referenceNotices } from "../../../shared/rules/providers/reference-notices.ts";
import type { PoolView } from "./view.ts";

/** The number of instances from which `providerIDList` and `nodeRefs` come near the size limit of etcd (1.5 MiB). */
const MANY_INSTANCES = 4_000;

/**
 * Returns the Events of a pool: its Nodes, as counts and never as lists, and references that cannot be read. The size
 * is reported once per change of the spec, the list being part of it.
 */
export function poolNotices({ pool, providers, nodeReport }: PoolView): readonly Notice[] {
  const { matched, readyReplicas, claimedTwice, nodeRefs } = nodeReport;
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
    ...referenceNotices(pool, [providers.bootstrap, providers.infrastructure]),
  ];
}

function normal(reason: string, message: string): Notice {
  return { type: "Normal", reason, message };
}

function warning(reason: string, message: string): Notice {
  return { type: "Warning", reason, message };
}
