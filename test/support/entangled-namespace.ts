import { SimBootstrapConfigTemplate } from "../../infra/playground/api/sim-bootstrap.ts";
import { SimClusterTemplate } from "../../infra/playground/api/sim-cluster.ts";
import { SimMachinePoolTemplate } from "../../infra/playground/api/sim-machinepool.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Secret } from "../../shared/api/core.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import {
  DISCOVERED_LABEL,
  MOVE_HIERARCHY_LABEL,
  MOVE_LABEL,
} from "../../shared/contract/clusterctl-marks.ts";
import { ensureNamespace, type TestSide } from "./management-side.ts";
import { plant, type Seedling } from "./planted.ts";
import { restingCluster } from "./resting-cluster.ts";

const untyped = <T>(kind: T): Kind => kind as unknown as Kind;
const kindOf = (group: string, kind: string, plural: string, namespaced = true): Kind => ({
  group,
  version: group.endsWith("x-k8s.io") ? "v1beta2" : "v1",
  kind,
  plural,
  namespaced,
});
const CONFIG_MAP = { ...kindOf("", "ConfigMap", "configmaps"), version: "v1" };
const CLUSTER_CLASS = kindOf("cluster.x-k8s.io", "ClusterClass", "clusterclasses");
const RESOURCE_SET = kindOf("addons.cluster.x-k8s.io", "ClusterResourceSet", "clusterresourcesets");
const BINDING = kindOf("addons.cluster.x-k8s.io", "ClusterResourceSetBinding", "clusterresourcesetbindings");
const IDENTITY = kindOf("example.dev", "Identity", "identities", false);
/** Without the label: clusterctl does not look at its objects. */
export const WIDGET = kindOf("example.dev", "Widget", "widgets");

/** Namespace that moves; `classes`, `others` and `sim-system` are around it. */
export const TEAM = "team";

/** Installs the kinds of an entangled namespace. */
export async function installEntangled(side: TestSide): Promise<void> {
  for (const kind of [CLUSTER_CLASS, RESOURCE_SET, BINDING]) await side.install(kind);
  await side.install(IDENTITY, { [DISCOVERED_LABEL]: "", [MOVE_HIERARCHY_LABEL]: "" });
  await side.install(WIDGET, {});
  const version = "v1.0.0";
  const names = { namespace: "sim-system", name: "infrastructure-sim", providerName: "sim" };
  await side.provide({ ...names, type: "InfrastructureProvider", version });
  const coreNames = { namespace: "capstan-system", name: "cluster-api", providerName: "cluster-api" };
  await side.provide({ ...coreNames, type: "CoreProvider", version });
}

/** A Cluster with a topology of this class. */
function withClass(name: string, classRef: object): readonly Seedling[] {
  return restingCluster(name).map((each) =>
    each.kind.kind === "Cluster"
      ? {
          ...each,
          content: {
            spec: {
              ...(each.content?.["spec"] as object | undefined),
              topology: { classRef, version: "v1.34.2" },
            },
          },
        }
      : each,
  );
}

const templateRef = (kind: string, name: string) => ({
  templateRef: {
    apiVersion: `${kind === "SimBootstrapConfigTemplate" ? "bootstrap" : "infrastructure"}.sim.capstan.dev/v1beta2`,
    kind,
    name,
  },
});

const TEMPLATE = { content: { spec: { template: { spec: {} } } } };

/** A template that a class names and does not own. */
export async function plantLoose({ client }: Pick<TestSide, "client">): Promise<void> {
  await ensureNamespace(client, "classes");
  await plant(client, "classes", [{ kind: untyped(SimBootstrapConfigTemplate), name: "loose", ...TEMPLATE }]);
}

/**
 * Fills a namespace with every way in which objects hang together for clusterctl: owners, conventions, labels, classes
 * of this and of another namespace, cluster-scoped objects, resource sets, and what can never be placed.
 */
export async function plantEntangled({ client }: TestSide): Promise<void> {
  for (const name of [TEAM, "classes", "others", "sim-system"]) await ensureNamespace(client, name);
  const ghost = { apiVersion: "ghosts.example.dev/v1", kind: "Ghost", name: "g", uid: "no-such-uid" };
  await plant(client, "classes", [
    {
      kind: CLUSTER_CLASS,
      name: "far",
      content: {
        spec: {
          infrastructure: templateRef("SimClusterTemplate", "far"),
          workers: {
            machinePools: [
              {
                class: "pool",
                infrastructure: templateRef("SimMachinePoolTemplate", "far"),
                bootstrap: templateRef("SimBootstrapConfigTemplate", "loose"),
              },
            ],
          },
        },
      },
    },
    { kind: untyped(SimClusterTemplate), name: "far", owners: ["ClusterClass/far"], ...TEMPLATE },
    { kind: untyped(SimMachinePoolTemplate), name: "far", owners: ["ClusterClass/far"], ...TEMPLATE },
  ]);
  await plantLoose({ client });
  const planted = await plant(client, TEAM, [
    { kind: CLUSTER_CLASS, name: "near", content: { spec: {} } },
    { kind: untyped(SimClusterTemplate), name: "near", owners: ["ClusterClass/near"], ...TEMPLATE },
    ...restingCluster("c1"),
    ...withClass("c2", { name: "far", namespace: "classes" }),
    ...withClass("c3", { name: "near" }),
    { kind: RESOURCE_SET, name: "addons", content: { spec: {} } },
    { kind: CONFIG_MAP, name: "addon", owners: ["ClusterResourceSet/addons"] },
    { kind: BINDING, name: "c1", content: { spec: { clusterName: "c1" } } },
    { kind: CONFIG_MAP, name: "labelled", metadata: { labels: { [MOVE_LABEL]: "" } } },
    { kind: untyped(Secret), name: "root", metadata: { labels: { [MOVE_HIERARCHY_LABEL]: "" } } },
    { kind: CONFIG_MAP, name: "leaf", owners: ["Secret/root"] },
    { kind: untyped(Secret), name: "c1-apiserver-etcd-client" },
    { kind: CONFIG_MAP, name: "free" },
    { kind: WIDGET, name: "w" },
    { kind: WIDGET, name: "owned", owners: ["Cluster/c1"], metadata: { finalizers: ["example.dev/cloud"] } },
    { kind: CONFIG_MAP, name: "a", owners: ["Cluster/c1", "Widget/w"] },
    { kind: CONFIG_MAP, name: "below-a", owners: ["ConfigMap/a"] },
    { kind: CONFIG_MAP, name: "b", owners: ["Cluster/c1", ghost] },
    { kind: CONFIG_MAP, name: "c", owners: ["Cluster/c1", "ConfigMap/d"] },
    { kind: CONFIG_MAP, name: "d", owners: ["ConfigMap/c"] },
    { kind: IDENTITY, name: "account", namespace: "", content: { spec: {} } },
  ]);
  const identity = planted.get("Identity/account");
  await plant(client, "sim-system", [
    {
      kind: untyped(Secret),
      name: "account",
      owners: [
        {
          apiVersion: "example.dev/v1",
          kind: "Identity",
          name: "account",
          uid: identity?.metadata.uid ?? "",
        },
      ],
    },
    { kind: untyped(Secret), name: "unrelated" },
  ]);
  await plant(client, "others", [
    { ...withClass("c9", { name: "near", namespace: TEAM })[0], kind: untyped(Cluster), name: "c9" },
  ]);
}
