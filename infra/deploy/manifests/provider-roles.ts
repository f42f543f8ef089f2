import type { Kind } from "../../../shared/api/kinds.ts";
import type { Manifest } from "../deployment.ts";
import { clusterRole } from "../rbac.ts";
import { type PolicyRule, rightsOf } from "../rights.ts";
import { AGGREGATE_TO, meetsProviders } from "./accounts.ts";
import type { ServerProcess } from "./processes.ts";

/** Stands for whatever follows a contract. */
const ANY = { group: "any", resource: "any" };

/**
 * Returns a ClusterRole for each process that meets objects of providers, by which it may work on these kinds. Which
 * contract a kind follows no definition says, so it gets the verbs that a process needs for any.
 */
export function providerRoles(
  kinds: readonly Pick<Kind, "group" | "plural">[],
  processes: readonly ServerProcess[],
): readonly Manifest[] {
  return processes.filter(meetsProviders).map((process) => {
    const { name } = process;
    return clusterRole(`${name}-of-providers`, rulesFor(kinds, verbsOf(process)), { [AGGREGATE_TO]: name });
  });
}

function verbsOf({ part, functions }: ServerProcess): PolicyRule["verbs"] {
  const rules = rightsOf(functions, () => ANY, [part]);
  return rules.find(({ apiGroups }) => apiGroups.includes(ANY.group))?.verbs ?? [];
}

function rulesFor(
  kinds: readonly Pick<Kind, "group" | "plural">[],
  verbs: PolicyRule["verbs"],
): readonly PolicyRule[] {
  return [...Map.groupBy(kinds, ({ group }) => group)].map(([group, ofGroup]) => ({
    apiGroups: [group],
    resources: [...new Set(ofGroup.map(({ plural }) => plural))],
    verbs,
  }));
}
