import { CustomResourceDefinition, Event, Namespace, Secret } from "../../shared/api/core.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { KINDS } from "../../shared/api/registry.ts";
import type { ContractKind } from "../../shared/contract/contract-kind.ts";
import { type AnyFunction, isContractKind } from "../../shared/function/define-function.ts";

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
type Place = Pick<Grant, "group" | "resource">;

const WATCH: readonly Verb[] = ["get", "list", "watch"];
/** Verbs that core uses on objects of providers, whatever their group. */
const FOR_CORE: readonly Verb[] = ["create", "delete", "get", "list", "patch", "update", "watch"];

/** Where core finds the objects of a contract. Providers of other groups bring a role of their own (RL-05). */
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

/** Returns where core finds the objects of a contract: every resource of a standard group. Source: RL-04 */
export function inStandardGroup({ contract }: ContractKind): Place {
  const group = STANDARD_GROUPS[contract];
  if (group === undefined) throw new Error(`bug: no API group is known for the contract ${contract}`);
  return { group, resource: "*" };
}

/** Returns the kind of the Sim provider that follows a contract: its functions meet no other one. */
export function ofSim({ contract }: ContractKind): Place {
  const name = `Sim${contract.replace(/^Infra/, "")}`;
  const found = KINDS.find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`bug: no kind ${name} exists for the contract ${contract}`);
  return { group: found.group, resource: found.plural };
}

/**
 * Returns the rights that a process with a relay and a worker needs for these functions, as few rules as possible, in a
 * fixed order. `placeOf` says where objects of a contract are. Source: RL-04
 */
export function rightsOf(
  functions: readonly AnyFunction[],
  placeOf: (kind: ContractKind) => Place,
): readonly PolicyRule[] {
  const grants = functions.flatMap((each) => grantsOf(each, placeOf));
  const connects = functions.some(({ spec }) =>
    spec.watches.some(({ on }) => !isContractKind(on) && (on.kind === "Connection" || on.kind === "Node")),
  );
  return [
    ...merged([
      ...grants,
      { group: CustomResourceDefinition.group, resource: CustomResourceDefinition.plural, verbs: WATCH },
      { group: Event.group, resource: Event.plural, verbs: ["create"] },
      // The kubeconfigs of Clusters, by watches within their namespaces.
      ...(connects ? [{ group: Secret.group, resource: Secret.plural, verbs: WATCH }] : []),
    ]),
    // Distinguishes this management cluster from another one.
    {
      apiGroups: [Namespace.group],
      resources: [Namespace.plural],
      resourceNames: ["kube-system"],
      verbs: ["get"],
    },
  ];
}

/** Returns the rule by which core may work on objects of these kinds of another group. Source: RL-05 */
export function rightsForCore(kinds: readonly Kind[]): readonly PolicyRule[] {
  return merged(kinds.map(({ group, plural }) => ({ group, resource: plural, verbs: FOR_CORE })));
}

function grantsOf({ spec }: AnyFunction, placeOf: (kind: ContractKind) => Place): readonly Grant[] {
  const grant = (on: Named, verbs: readonly Verb[], subresource?: string): readonly Grant[] => {
    const place = managementPlace(on, placeOf);
    if (place === undefined) return [];
    const suffix = subresource === undefined || place.resource === "*" ? "" : `/${subresource}`;
    return [{ group: place.group, resource: `${place.resource}${suffix}`, verbs }];
  };
  const { reconciles, watches, reads = [], readsLive = [], owns, ownsOn = [], calls = [] } = spec;
  const owner = reconciles as Kind;
  return [
    ...[owner, ...watches.map(({ on }) => on)].flatMap((on) => grant(on, WATCH)),
    ...reads.flatMap(({ on }) => grant(on, ["get", "list"])),
    ...readsLive.flatMap((on) => grant(on, isSecret(on) ? ["get"] : ["get", "list"])),
    ...(owns.length === 0 ? [] : grant(owner, ["patch"], "status")),
    ...ownsOn.flatMap(({ kind, fields }) => [
      ...(fields.some(isStatus) ? grant(kind, ["patch"], "status") : []),
      ...(fields.every(isStatus) ? [] : grant(kind, ["patch"])),
    ]),
    // A write without a clear answer is followed by a read.
    ...calls.flatMap(({ verb, kind }) => {
      if (verb === "issue") return grant(kind, ["create", "get", "patch"]);
      return verb === "evict" ? [] : grant(kind, [verb, "get"]);
    }),
    // Needed to block the deletion of an owner, where the server checks it.
    ...(calls.length > 0 || ownsOn.some(({ fields }) => fields.includes("metadata.ownerReferences"))
      ? grant(owner, ["update"], "finalizers")
      : []),
  ];
}

/** Where objects of a kind are on the management server; undefined for those of workload servers and the read model. */
function managementPlace(on: Named, placeOf: (kind: ContractKind) => Place): Place | undefined {
  if (isContractKind(on)) return placeOf(on);
  const isThere = on.crd !== undefined || on.external === true || isSecret(on);
  return isThere ? { group: on.group, resource: on.plural } : undefined;
}

function isSecret(on: Named): boolean {
  return !isContractKind(on) && on.group === Secret.group && on.kind === Secret.kind;
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
