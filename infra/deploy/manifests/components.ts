import { Secret } from "../../../shared/api/core.ts";
import { clusterRole, roleBinding } from "../rbac.ts";
import { inStandardGroup, ownerDeletions, type PolicyRule } from "../rights.ts";
import { boundRole, OF_PROVIDERS, processAccount, RIGHTS } from "./accounts.ts";
import { filesOf } from "./base.ts";
import { consoleComponents } from "./console.ts";
import {
  functionProcesses,
  NAMESPACE,
  type ServerProcess,
  serverProcesses,
  workersOf,
  workloadRelay,
} from "./deployments.ts";
import { type Folder, without } from "./kustomization.ts";
import { monitors, observationComponents } from "./monitors.ts";
import { scalingComponents } from "./scaling.ts";
import { takeoverAccount } from "./takeover.ts";
import { withoutWebhook } from "./webhook.ts";

const RBAC = "rbac.authorization.k8s.io/v1";

/** Returns the components by name: each changes the base in one respect, and all of them go together. */
export async function components(): Promise<{ readonly [name: string]: Folder }> {
  const [processes, functions] = await Promise.all([serverProcesses(), functionProcesses()]);
  return {
    "per-function": perFunction(functions),
    "workload-relays": workloadRelays(await workloadRelay()),
    "owner-enforcement": ownerEnforcement([...processes, ...functions]),
    takeover: { kind: "Component", files: { account: takeoverAccount() } },
    monitors: { kind: "Component", files: { monitors: monitors() } },
    ...scalingComponents(functions),
    "watch-kubeconfigs": WATCH_KUBECONFIGS,
    ...observationComponents(),
    ...consoleComponents(),
    "v1beta2-only": withoutWebhook(),
    namespaced: withoutBindings("objects", "secrets", "providers", "diagnostics", "owners"),
    hardened: HARDENED,
  };
}

/** Workers of one function each, with an account each, in place of those of groups. Source: S-01 */
function perFunction(processes: readonly ServerProcess[]): Folder {
  const name = workersOf(".*");
  const replaced = [
    ["apps/v1", "Deployment"],
    ["policy/v1", "PodDisruptionBudget"],
    ["v1", "Service"],
    ["v1", "ServiceAccount"],
    [RBAC, "ClusterRole"],
    [RBAC, "ClusterRoleBinding"],
  ] as const;
  return {
    kind: "Component",
    files: filesOf(processes),
    patches: replaced.map(([apiVersion, kind]) => without(apiVersion, { kind, name })),
  };
}

/**
 * Relays that share the workload clusters. The one that leads connects to none of them then, and reads no kubeconfig.
 */
function workloadRelays(process: ServerProcess): Folder {
  const leaves = [{ op: "add", path: "/spec/template/spec/containers/0/args/-", value: "--no-workloads" }];
  return {
    kind: "Component",
    files: filesOf([process]),
    patches: [
      { target: { kind: "Deployment", name: "capstan-relay" }, patch: `${JSON.stringify(leaves)}\n` },
      ...["ClusterRole", "ClusterRoleBinding"].map((kind) =>
        without(RBAC, { kind, name: "capstan-relay-secrets" }),
      ),
    ],
  };
}

/**
 * Returns rights for servers that run OwnerReferencesPermissionEnforcement: who changes the owners of an object needs
 * the right to delete it. A binding of an account that is not there grants nothing.
 */
function ownerEnforcement(processes: readonly ServerProcess[]): Folder {
  const owners = processes.flatMap((process) => {
    const rules = process.part === "relay" ? [] : ownerDeletions(process.functions, inStandardGroup);
    return rules.length === 0
      ? []
      : boundRole(process, "owners", clusterRole(`${process.name}-owners`, rules));
  });
  return { kind: "Component", files: { owners } };
}

/** Further rights of a relay that watches kubeconfigs. */
export const WATCHED_KUBECONFIGS: readonly PolicyRule[] = [
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["list", "watch"] },
];

/** A change of a kubeconfig is seen at once, for the right to list all Secrets of the namespaces of Clusters. */
const WATCH_KUBECONFIGS: Folder = {
  kind: "Component",
  files: {
    // One of them is there with `workload-relays` only.
    roles: ["capstan-relay", "capstan-relay-workloads"].flatMap((name) =>
      boundRole({ name }, "secrets", clusterRole(`${name}-watched-secrets`, WATCHED_KUBECONFIGS)),
    ),
  },
  patches: [
    {
      target: { kind: "Deployment", name: "capstan-relay.*" },
      patch: `${JSON.stringify([{ op: "add", path: "/spec/template/spec/containers/0/args/-", value: "--kubeconfig-secrets=watch" }])}\n`,
    },
  ],
};

/** Returns a component without rights of some sorts, until an operator binds them in namespaces. Source: S-05 */
function withoutBindings(...sorts: readonly string[]): Folder {
  const labelSelector = `${RIGHTS} in (${sorts.join(",")})`;
  return {
    kind: "Component",
    files: {},
    patches: [without(RBAC, { kind: "ClusterRoleBinding", labelSelector })],
  };
}

/** Nothing that providers grant by themselves, and Secrets only where an operator binds the right. */
const HARDENED: Folder = {
  ...withoutBindings("secrets"),
  patches: [
    ...(withoutBindings("secrets").patches ?? []),
    {
      target: { kind: "ClusterRole", labelSelector: `${RIGHTS}=providers` },
      patch: `${JSON.stringify(OF_PROVIDERS.map(() => ({ op: "remove", path: "/aggregationRule/clusterRoleSelectors/1" })))}\n`,
    },
  ],
};

/** Returns what binds the rights of a deployment in one namespace, which `kubectl apply --namespace` names. */
export async function namespaceFolder(): Promise<Folder> {
  // A binding of rights that no component brings grants nothing.
  const processes = [...(await serverProcesses()), await workloadRelay()];
  const bindings = processes.flatMap((process) =>
    processAccount(process)
      .filter(
        ({ kind, metadata }) => kind === "ClusterRole" && IN_NAMESPACES.has(metadata.labels?.[RIGHTS] ?? ""),
      )
      .map(({ metadata }) => roleBinding(metadata.name, process.name, NAMESPACE)),
  );
  return { kind: "Kustomization", files: { bindings } };
}

const IN_NAMESPACES: ReadonlySet<string> = new Set(["objects", "secrets", "providers"]);
