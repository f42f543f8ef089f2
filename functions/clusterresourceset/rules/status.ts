import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type {
  ClusterResourceSet,
  ClusterResourceSetBinding,
  ClusterResourceSetStatus,
} from "../../../shared/api/clusterresourceset.ts";
import { compareText, condition, setConditions } from "../../../shared/rules/conditions/conditions.ts";
import {
  deprecatedCondition,
  setDeprecatedConditions,
} from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { pausedStatus } from "../../../shared/rules/status/paused-status.ts";
import { present } from "../../../shared/rules/status/present.ts";
import { entryOf, resourcesIn } from "./binding.ts";
import { type NotAppliedReason, notAppliedIn, REASONS_BY_WORST } from "./not-applied.ts";
import { selectionOf } from "./selection.ts";
import type { SetView } from "./view.ts";

const TYPE = "ResourcesApplied";
const MAX_NAMED = 3;

/**
 * Returns the whole status. Differs: `ResourcesApplied` is False as long as anything is missing anywhere, and counts;
 * upstream shows what was written last. Without Clusters that it selects there is none.
 */
export function setStatus(view: SetView): ClusterResourceSetStatus {
  const { set, now } = view;
  const { generation } = set.metadata;
  const status = {
    ...pausedStatus<ClusterResourceSetStatus>(set, undefined, now),
    ...present("observedGeneration", generation),
  };
  const lacks = lacksOf(view);
  if (lacks === undefined) return status;
  const { reason, message } = lacks;
  const isApplied = reason === undefined;
  const applied = isApplied ? condition(TYPE, "True", "Applied") : condition(TYPE, "False", reason, message);
  const older = isApplied
    ? deprecatedCondition(TYPE, "True")
    : deprecatedCondition(TYPE, "False", { ...OLDER[reason], message });
  const stored = set.status?.deprecated?.v1beta1?.conditions;
  return {
    ...status,
    conditions: setConditions(status.conditions, [applied], now, generation),
    deprecated: { v1beta1: { conditions: setDeprecatedConditions(stored, [older], now) } },
  };
}

const OLDER: {
  readonly [reason in NotAppliedReason]: { readonly reason: string; readonly severity: string };
} = {
  InternalError: { reason: "RemoteClusterClientFailed", severity: "Error" },
  WrongSecretType: { reason: "WrongSecretType", severity: "Warning" },
  NotApplied: { reason: "ApplyFailed", severity: "Warning" },
};

interface Lack {
  readonly reason: NotAppliedReason;
  readonly problem: string;
}

/** Returns the worst reason and all counts; no reason: everything is applied; undefined: no Cluster is selected. */
function lacksOf({
  set,
  clusters,
  bindings,
}: SetView): { readonly reason?: NotAppliedReason; readonly message: string } | undefined {
  const selected = clusters
    .filter(selectionOf(set))
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  if (selected.length === 0) return undefined;
  const byName = new Map(bindings.map((binding) => [binding.metadata.name, binding]));
  const lacks = selected.flatMap((cluster) => lackIn(set, cluster, byName.get(cluster.metadata.name)) ?? []);
  const reason = REASONS_BY_WORST.find((worst) => lacks.some((lack) => lack.reason === worst));
  if (reason === undefined) return { message: "" };
  const more = lacks.length - MAX_NAMED;
  const paused = selected.filter(({ spec }) => spec.paused === true).length;
  const parts = [
    `${selected.length - lacks.length} of ${selected.length} Clusters`,
    ...lacks.slice(0, MAX_NAMED).map(({ problem }) => problem),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(paused > 0 ? [`${paused} paused`] : []),
  ];
  return { reason, message: parts.join("; ") };
}

function lackIn(
  set: ClusterResourceSet,
  { metadata: { name } }: Cluster,
  binding: ClusterResourceSetBinding | undefined,
): Lack | undefined {
  const known = notAppliedIn(binding)[set.metadata.name];
  if (known !== undefined) return { reason: known.reason, problem: `${name}: ${known.problems.join(", ")}` };
  const entries = resourcesIn(binding, set);
  const open = set.spec.resources.find((resource) => entryOf(entries, resource)?.applied !== true);
  if (open === undefined) return undefined;
  // Nothing was tried yet: the workload cluster does not answer, or it is young.
  return {
    reason: "InternalError",
    problem: `${name}: ${open.kind} ${open.name} waits for the workload cluster`,
  };
}
