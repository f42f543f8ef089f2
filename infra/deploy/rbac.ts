import { SHARD_LEASE, shardNames } from "../relay/shards/shard-names.ts";
import type { Manifest } from "./deployment.ts";
import type { PolicyRule } from "./rights.ts";

const RBAC = "rbac.authorization.k8s.io";

/** Roles with this label add to the rights of core: providers of other groups bring one. */
export const AGGREGATED = { "cluster.x-k8s.io/aggregate-to-manager": "true" };

/** Roles with this label are for controllers that ask for remediations by objects of others, such as those of Medik8s. */
export const EXTERNAL_REMEDIATION = { "rbac.ext-remediation/aggregate-to-ext-remediation": "true" };

interface Labels {
  readonly [key: string]: string;
}

/** Returns the ServiceAccount of a process in a namespace. */
export function serviceAccount(name: string, namespace: string): Manifest {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } };
}

export function clusterRole(name: string, rules: readonly PolicyRule[], labels?: Labels): Manifest {
  const metadata = { name, ...(labels && { labels }) };
  return { apiVersion: `${RBAC}/v1`, kind: "ClusterRole", metadata, rules };
}

/** Returns a ClusterRole with the rules of all those that carry one of these labels, which the server keeps. */
export function aggregatingRole(name: string, ...labels: readonly Labels[]): Manifest {
  const clusterRoleSelectors = labels.map((matchLabels) => ({ matchLabels }));
  // Without `rules` an apply takes away nothing of what the server has collected.
  const { rules: _, ...role } = clusterRole(name, []);
  return { ...role, aggregationRule: { clusterRoleSelectors } };
}

/** Binds a ClusterRole to an account of `namespace`, in the namespace into which the binding is applied. */
export function roleBinding(role: string, account: string, namespace: string): Manifest {
  return { ...bindingOf("ClusterRole", { name: role }, { account, namespace }), kind: "RoleBinding" };
}

/** Binds a ClusterRole to an account. */
export function clusterRoleBinding(role: string, account: string, namespace: string): Manifest {
  return bindingOf("ClusterRole", { name: role }, { account, namespace });
}

/** Returns a Role, and what binds it to the account of its name. */
export function roleOf(
  account: string,
  namespace: string,
  rules: readonly PolicyRule[],
): readonly Manifest[] {
  const metadata = { name: account, namespace };
  return [
    { apiVersion: `${RBAC}/v1`, kind: "Role", metadata, rules },
    bindingOf("Role", metadata, { account, namespace }),
  ];
}

/** Rights that leader election needs in the namespace of its Lease. */
export const LEASE_RULES: readonly PolicyRule[] = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "get", "patch"] },
];

/** Rights that relays need which share the workload clusters: each holds one of these Leases, and looks at all. */
export const SHARD_LEASE_RULES: readonly PolicyRule[] = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "list"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: shardNames(SHARD_LEASE),
    verbs: ["get", "patch"],
  },
];

function bindingOf(
  role: "Role" | "ClusterRole",
  metadata: Manifest["metadata"],
  { account, namespace }: { readonly account: string; readonly namespace: string },
): Manifest {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: `${role}Binding`,
    metadata,
    roleRef: { apiGroup: RBAC, kind: role, name: metadata.name },
    subjects: [{ kind: "ServiceAccount", name: account, namespace }],
  };
}
