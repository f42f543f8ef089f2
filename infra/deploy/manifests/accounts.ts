import { CustomResourceDefinition, Namespace, Secret } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { isContractKind } from "../../../shared/function/define-function.ts";
import type { Manifest } from "../deployment.ts";
import {
  AGGREGATED,
  aggregatingRole,
  clusterRole,
  clusterRoleBinding,
  EXTERNAL_REMEDIATION,
  LEASE_RULES,
  roleOf,
  SHARD_LEASE_RULES,
  serviceAccount,
} from "../rbac.ts";
import { inStandardGroup, type PolicyRule, rightsOf } from "../rights.ts";
import { NAMESPACE, type ServerProcess } from "./deployments.ts";

/** Roles with this label add to the rights of one account: `capstan rbac` prints such roles. */
export const AGGREGATE_TO = "capstan.dev/aggregate-to";
/** Label of roles and bindings by the rights in them: components choose by it. */
export const RIGHTS = "capstan.dev/rights";

/**
 * Rights of an account that an operator may want apart: on `objects` in namespaces, on `secrets` there, on objects of
 * `providers`, on that which is in no namespace (`cluster`), and to ask who reads `diagnostics`.
 */
type Rights = "objects" | "secrets" | "providers" | "cluster" | "diagnostics" | "owners";

/** Returns the rights of a process by its functions. */
export function rightsOfProcess({ part, isOfWorkloads, functions }: ServerProcess): readonly PolicyRule[] {
  return rightsOf(functions, inStandardGroup, [isOfWorkloads ? "workload-relay" : part]);
}

/** Returns the account of a process with its rights, one role for each sort of them. */
export function processAccount(process: ServerProcess): readonly Manifest[] {
  const { name } = process;
  const { objects = [], ...others } = Object.groupBy(rightsOfProcess(process), sortOf);
  return [
    serviceAccount(name, NAMESPACE),
    ...boundRole(process, "objects", clusterRole(name, objects)),
    ...Object.entries(others).flatMap(([sort, rules]) =>
      boundRole(process, sort as Rights, clusterRole(`${name}-${sort}`, rules)),
    ),
    ...(meetsProviders(process) ? boundRole(process, "providers", ofProviders(name)) : []),
    ...boundRole(process, "diagnostics", clusterRole(`${name}-diagnostics`, REVIEWS)),
    ...leaseRole(process),
  ];
}

function leaseRole({ name, part, isOfWorkloads }: ServerProcess): readonly Manifest[] {
  return part === "relay" ? roleOf(name, NAMESPACE, isOfWorkloads ? SHARD_LEASE_RULES : LEASE_RULES) : [];
}

/** Returns a role of an account and what binds it everywhere. */
export function boundRole(
  process: Pick<ServerProcess, "name">,
  sort: Rights,
  role: Manifest,
): readonly Manifest[] {
  return [role, clusterRoleBinding(role.metadata.name, process.name, NAMESPACE)].map((object) => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, [RIGHTS]: sort } },
  }));
}

/** Collects what is granted on kinds of other groups: to this account, and by providers to others of its kind. */
function ofProviders(name: string): Manifest {
  return aggregatingRole(`${name}-providers`, { [AGGREGATE_TO]: name }, ...OF_PROVIDERS);
}

/** Labels of roles that providers bring by themselves: all verbs of Cluster API's manager, fewer of Medik8s. */
export const OF_PROVIDERS = [AGGREGATED, EXTERNAL_REMEDIATION];

/** Whether functions of a process watch objects of providers. */
function meetsProviders({ isOfWorkloads, functions }: ServerProcess): boolean {
  return (
    isOfWorkloads !== true && functions.some(({ spec }) => spec.watches.some(({ on }) => isContractKind(on)))
  );
}

/** Asks the API server who a client is, and what that user may do. */
export const REVIEWS: readonly PolicyRule[] = [
  ["authentication.k8s.io", "tokenreviews"] as const,
  ["authorization.k8s.io", "subjectaccessreviews"] as const,
].map(([group, resource]) => ({ apiGroups: [group], resources: [resource], verbs: ["create"] }));

const IN_NO_NAMESPACE: readonly string[] = [CustomResourceDefinition.plural, Namespace.plural];

function sortOf({ resources }: PolicyRule): Rights {
  if (resources.includes(Secret.plural)) return "secrets";
  return resources.some((resource) => IN_NO_NAMESPACE.includes(resource)) ? "cluster" : "objects";
}

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
