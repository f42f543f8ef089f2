import { Cluster } from "../../shared/api/cluster/cluster.ts";
import {
  ConfigMap,
  Connection,
  CustomResourceDefinition,
  Event,
  Namespace,
  Node,
  Secret,
} from "../../shared/api/core.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import type { ContractKind } from "../../shared/contract/contract-kind.ts";
import { type AnyFunction, isContractKind } from "../../shared/function/define-function.ts";
import { groupOf } from "../../shared/function/groups.ts";

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly Verb[];
}

type Verb = "create" | "delete" | "get" | "list" | "patch" | "update" | "watch";

interface Grant {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly Verb[];
}

type Named = Kind | ContractKind;
export type Place = Pick<Grant, "group" | "resource">;
export type PlaceOf = (kind: ContractKind) => Place;
type Spec = AnyFunction["spec"];

const WATCH: readonly Verb[] = ["get", "list", "watch"];
/** Verbs that core uses on objects of providers, whatever their group. */
const FOR_CORE: readonly Verb[] = ["create", "delete", "get", "list", "patch", "update", "watch"];

/** Where core finds the objects of a contract. Providers of other groups bring a role of their own. */
const STANDARD_GROUPS: { readonly [contract: string]: string } = {
  BootstrapConfig: "bootstrap.cluster.x-k8s.io",
  BootstrapConfigTemplate: "bootstrap.cluster.x-k8s.io",
  ControlPlane: "controlplane.cluster.x-k8s.io",
  InfraCluster: "infrastructure.cluster.x-k8s.io",
  InfraMachine: "infrastructure.cluster.x-k8s.io",
  InfraMachinePool: "infrastructure.cluster.x-k8s.io",
  InfraMachineTemplate: "infrastructure.cluster.x-k8s.io",
  RemediationRequest: "infrastructure.cluster.x-k8s.io",
  RemediationTemplate: "infrastructure.cluster.x-k8s.io",
};

/** Returns where core finds the objects of a contract: every resource of a standard group. */
export function inStandardGroup({ contract }: ContractKind): Place {
  const group = STANDARD_GROUPS[contract];
  if (group === undefined) throw new Error(`bug: no API group is known for the contract ${contract}`);
  return { group, resource: "*" };
}

/** Whether every kind of this group is covered by the rights of core. */
export function isStandardGroup(group: string): boolean {
  return Object.values(STANDARD_GROUPS).includes(group);
}

/**
 * The use of functions by a process: a relay watches for them, a worker runs them; the manager of a release both. A
 * workload relay connects to workload clusters only.
 */
type Part = "relay" | "workload-relay" | "worker";

/**
 * Returns the rights that a process needs for these functions, as few rules as possible, in a fixed order. `placeOf` says
 * where objects of a contract are. A worker never watches.
 */
export function rightsOf(
  functions: readonly AnyFunction[],
  placeOf: PlaceOf,
  parts: readonly Part[] = ["relay", "worker"],
): readonly PolicyRule[] {
  const specs = functions.map(({ spec }) => spec);
  return [
    ...merged([
      ...(parts.includes("relay") ? watchedFor(specs, placeOf) : []),
      ...(parts.includes("workload-relay") ? CONNECTING : []),
      ...(parts.includes("worker") ? usedBy(specs, placeOf) : []),
    ]),
    OWN_CLUSTER,
  ];
}

/** Distinguishes this management cluster from another one. */
export const OWN_CLUSTER: PolicyRule = {
  apiGroups: [Namespace.group],
  resources: [Namespace.plural],
  resourceNames: ["kube-system"],
  verbs: ["get"],
};

/** Returns the rule by which core may work on objects of these kinds of another group. */
export function rightsForCore(kinds: readonly Kind[]): readonly PolicyRule[] {
  return merged(kinds.map(({ group, plural }) => ({ group, resource: plural, verbs: FOR_CORE })));
}

/**
 * Returns the further rights of these functions where the server runs OwnerReferencesPermissionEnforcement: who changes
 * the owners of an object needs the right to delete it.
 */
export function ownerDeletions(functions: readonly AnyFunction[], placeOf: PlaceOf): readonly PolicyRule[] {
  const changed = functions.flatMap(({ spec: { ownsOn = [] } }) =>
    ownsOn.filter(({ fields }) => fields.includes("metadata.ownerReferences")),
  );
  return merged(changed.flatMap(({ kind }) => grant(kind, ["delete"], placeOf)));
}

/** Returns the rights of a relay: it watches, and connects to workload clusters where functions ask for these. */
function watchedFor(specs: readonly Spec[], placeOf: PlaceOf): readonly Grant[] {
  const kinds = specs.flatMap(({ reconciles, watches }) => [
    reconciles as Kind,
    ...watches.map(({ on }) => on),
  ]);
  const isOfWorkload = (on: Named) => on === (Connection as Kind) || on === (Node as Kind);
  return [
    ...[CustomResourceDefinition as Kind, ...kinds].flatMap((on) => grant(on, WATCH, placeOf)),
    // The kubeconfigs of Clusters, by their names.
    ...(kinds.some(isOfWorkload) ? grant(Secret, ["get"], placeOf) : []),
  ];
}

/** Which Clusters there are, and their kubeconfigs by their names. */
const CONNECTING: readonly Grant[] = [
  { group: Cluster.group, resource: Cluster.plural, verbs: WATCH },
  { group: Secret.group, resource: Secret.plural, verbs: ["get"] },
];

/** Returns the rights of runs: they read when a snapshot is too old or proves nothing, and write. */
function usedBy(specs: readonly Spec[], placeOf: PlaceOf): readonly Grant[] {
  const usesKubeconfigs = specs.some((spec) => groupOf(spec) === "workload");
  return [
    ...specs.flatMap((spec) => [...readBy(spec, placeOf), ...writtenBy(spec, placeOf)]),
    ...grant(Event as Kind, ["create"], placeOf),
    ...(usesKubeconfigs ? grant(Secret, ["get"], placeOf) : []),
  ];
}

function readBy(
  { reconciles, watches, reads = [], readsLive = [], delivers = [] }: Spec,
  placeOf: PlaceOf,
): readonly Grant[] {
  const kinds = [
    reconciles as Kind,
    ...[...watches, ...reads].map(({ on }) => on),
    ...readsLive,
    ...delivers,
  ];
  return kinds.flatMap((on) => grant(on, isSecret(on) ? ["get"] : ["get", "list"], placeOf));
}

function writtenBy(spec: Spec, placeOf: PlaceOf): readonly Grant[] {
  const { owns, ownsOn = [], calls = [], blocks = [] } = spec;
  const on = (kind: Named, verbs: readonly Verb[], subresource?: string) =>
    grant(kind, verbs, placeOf, subresource);
  return [
    ...(owns.length === 0 ? [] : on(spec.reconciles as Kind, ["patch"], "status")),
    ...ownsOn.flatMap(({ kind, fields }) => {
      const isWhole = !isContractKind(kind) && kind.crd?.status === false;
      const isApart = (field: string) => isStatus(field) && !isWhole;
      return [
        ...(fields.some(isApart) ? on(kind, ["patch"], "status") : []),
        ...(fields.every(isApart) ? [] : on(kind, ["patch"])),
      ];
    }),
    ...calls.flatMap(({ verb, kind }) => {
      if (verb === "issue") return on(kind, ["create", "get", "patch"]);
      return verb === "evict" ? [] : on(kind, [verb]);
    }),
    // Asked for where the server runs OwnerReferencesPermissionEnforcement.
    ...blocks.flatMap((kind) => on(kind, ["update"], "finalizers")),
  ];
}

function grant(on: Named, verbs: readonly Verb[], placeOf: PlaceOf, subresource?: string): readonly Grant[] {
  const place = managementPlace(on, placeOf);
  if (place === undefined) return [];
  const suffix = subresource === undefined || place.resource === "*" ? "" : `/${subresource}`;
  return [{ group: place.group, resource: `${place.resource}${suffix}`, verbs }];
}

/** Returns where objects of a kind are on the management server; undefined for workload servers and the read model. */
function managementPlace(on: Named, placeOf: PlaceOf): Place | undefined {
  if (isContractKind(on)) return placeOf(on);
  const isThere = on.crd !== undefined || BUILT_IN.has(on);
  return isThere ? { group: on.group, resource: on.plural } : undefined;
}

const BUILT_IN: ReadonlySet<Named> = new Set([
  Secret,
  ConfigMap,
  Event as Kind,
  CustomResourceDefinition as Kind,
]);

function isSecret(on: Named): boolean {
  return on === Secret;
}

function isStatus(field: string): boolean {
  return field === "status" || field.startsWith("status.");
}

/** Joins grants of one resource, then resources of one group with the same verbs. */
function merged(grants: readonly Grant[]): readonly PolicyRule[] {
  const byResource = Map.groupBy(grants, ({ group, resource }) => `${group}/${resource}`);
  const joined = [...byResource.values()].map((same) => ({
    ...(same[0] as Grant),
    verbs: [...new Set(same.flatMap(({ verbs }) => verbs))].toSorted(compare),
  }));
  const byVerbs = Map.groupBy(joined, ({ group, verbs }) => `${group} ${verbs.join()}`);
  return [...byVerbs]
    .toSorted(([a], [b]) => compare(a, b))
    .map(([, same]) => ({
      apiGroups: [(same[0] as Grant).group],
      resources: same.map(({ resource }) => resource).toSorted(compare),
      verbs: (same[0] as Grant).verbs,
    }));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
