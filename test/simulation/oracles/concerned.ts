import { isDeepStrictEqual } from "node:util";
import {
  clusterOfControlPlane,
  clusterOfMachine,
  clusterOfTroubled,
} from "../../../functions/cluster/rules/wakes.ts";
import { itselfBehindDrain } from "../../../functions/machine/rules/wakes.ts";
import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { type Kind, type KubeObject, MANAGEMENT, type OwnerReference } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { type AnyFunction, isContractKind, type Watch } from "../../../shared/function/define-function.ts";
import * as checkMappings from "../../../shared/function/health-check-mappings.ts";
import * as mappings from "../../../shared/function/mappings.ts";
import type { TypeKey } from "../../../shared/runtime/ports.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import { anyKindOf } from "../../support/all-kinds.ts";

/** One snapshot replaced by another of the same uid. */
export interface ShownChange {
  readonly type: TypeKey;
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
}

export interface Woken {
  readonly functionName: string;
  readonly key: Key;
}

/**
 * Returns the keys that a change concerns, computed without the routing of the product: every object that a function
 * reconciles is asked whether the change is about it. No index, no lookup.
 */
export async function concernedBy(
  change: ShownChange,
  functions: readonly AnyFunction[],
  all: (kind: Kind) => Promise<readonly KubeObject[]>,
): Promise<readonly Woken[]> {
  const sides = [change.before, change.after].filter((side) => side !== undefined);
  const woken: Woken[] = [];
  const listed = new Map<Kind, Promise<readonly KubeObject[]>>();
  const list = (kind: Kind): Promise<readonly KubeObject[]> => {
    const known = listed.get(kind) ?? all(kind);
    listed.set(kind, known);
    return known;
  };
  for (const { spec } of functions) {
    const { reconciles } = spec;
    const due = spec.watches.filter((each) => isAbout(each, change) && isDue(each, change));
    if (due.length === 0) continue;
    // An object that is gone is not among them: nothing is left to reconcile.
    const candidates = await list(reconciles);
    const [clusters, machines] = [await list(Cluster as Kind), await list(Machine as Kind)];
    const { cluster } = change.type;
    for (const candidate of candidates)
      if (
        isOf(spec.actsOn, candidate) &&
        !isLeftIdle(spec, candidate) &&
        due.some(
          (each) =>
            isOf(each.actsOn, candidate) &&
            sides.some((side) => leadsTo(each, { side, cluster, clusters, machines }, candidate)),
        )
      )
        woken.push({ functionName: spec.name, key: keyOf(reconciles, candidate) });
  }
  return woken;
}

/** One that cannot be judged (X-39) is not: a run of its key has to fail. */
function isLeftIdle({ isIdle }: AnyFunction["spec"], candidate: KubeObject): boolean {
  try {
    return isIdle?.(candidate) === true;
  } catch {
    return false;
  }
}

/** Whether a function decides anything about an object in the state in which it is now. */
export function isOf(state: "living" | "deleting" | undefined, { metadata }: KubeObject): boolean {
  return state === undefined || (metadata.deletionTimestamp === undefined) === (state === "living");
}

/** Kinds of which providers may be: neither what Kubernetes itself has nor Capstan's own. */
function isAbout({ on }: Watch, { type: { group, kind, cluster } }: ShownChange): boolean {
  if (!isContractKind(on)) return on.group === group && on.kind === kind;
  const isOfKubernetes = !group.includes(".") || (group.endsWith(".k8s.io") && !/\.x-k8s\.io$/.test(group));
  return cluster === MANAGEMENT && !isOfKubernetes && group !== "capstan.dev";
}

function isDue({ fields }: Watch, { before, after }: ShownChange): boolean {
  if (before === undefined || after === undefined) return true;
  return fields.some((field) => !isDeepStrictEqual(at(before, field), at(after, field)));
}

/** `status.conditions[Ready].status`, `metadata.labels[a.b/c]`. */
function at(object: unknown, path: string): unknown {
  return namesIn(path).reduce((value: unknown, name) => {
    if (Array.isArray(value))
      return value.find((each) => [each?.type, each?.name, each?.uid, each?.key].includes(name));
    return Object(value)[name] as unknown;
  }, object);
}

const NAMES = new Map<string, readonly string[]>();

/** Declared paths are few, and looked up with every change. */
function namesIn(path: string): readonly string[] {
  const known = NAMES.get(path);
  if (known !== undefined) return known;
  const names = (path.match(/\[[^\]]*\]|[^.[\]]+/g) ?? []).map((part) => part.replace(/^\[|\]$/g, ""));
  NAMES.set(path, names);
  return names;
}

interface Side {
  readonly side: KubeObject;
  readonly cluster: string;
  /** All Clusters of the management server. */
  readonly clusters: readonly KubeObject[];
  /** All Machines of the management server. */
  readonly machines: readonly KubeObject[];
}

type Concerns = (seen: Side, candidate: KubeObject) => boolean;

/** Conditions with the statuses in which a Cluster repeats their message. */
const TROUBLES: readonly (readonly [string, readonly string[]])[] = [
  ...["Available", "OwnerRemediated", "Ready", "UpToDate"].map(
    (type) => [type, ["False", "Unknown"]] as const,
  ),
  ...["RollingOut", "ScalingDown", "ScalingUp"].map((type) => [type, ["True", "Unknown"]] as const),
];

/** Reasons of `Deleting` once the Node of a Machine is drained, or need not be. */
const DRAINED = [
  "WaitingForPreTerminateHook",
  "WaitingForInfrastructureDeletion",
  "WaitingForBootstrapDeletion",
  "DeletingNode",
  "DeletionCompleted",
];

/** The promise of each mapping, by comparing both objects. */
const CONCERNS = new Map<Watch["toKeys"], Concerns>([
  [mappings.itself, ({ side }, candidate) => sameKey(side, candidate) && side.kind === candidate.kind],
  [
    itselfBehindDrain,
    ({ side }, candidate) =>
      sameKey(side, candidate) && DRAINED.includes(`${at(side, "status.conditions[Deleting].reason")}`),
  ],
  [
    mappings.inCluster,
    ({ side }, candidate) => sameNamespace(side, candidate) && clusterOf(candidate) === side.metadata.name,
  ],
  [
    mappings.sameCluster,
    ({ side }, candidate) =>
      sameNamespace(side, candidate) &&
      clusterOf(candidate) !== undefined &&
      side.metadata.labels?.[CLUSTER_NAME] === clusterOf(candidate),
  ],
  [mappings.inClusterOf, ({ side }, candidate) => areOfOneCluster(side, candidate)],
  [
    mappings.inClusterOfControlPlaneMachine,
    ({ side }, candidate) => isOfControlPlane(side) && areOfOneCluster(side, candidate),
  ],
  [
    mappings.inClusterReferencing,
    ({ side, clusters }, candidate) =>
      clusters.some(
        (cluster) =>
          sameNamespace(cluster, candidate) &&
          clusterOf(candidate) === cluster.metadata.name &&
          isReferencedBy(side, cluster),
      ),
  ],
  [mappings.setsOfMachine, ({ side }, candidate) => isOwner(candidate, side) || isCandidate(side, candidate)],
  [
    mappings.deploymentOfSet,
    ({ side }, candidate) => isOwner(candidate, side) || isAdoptedBy(side, candidate),
  ],
  [
    mappings.deploymentOfMachine,
    ({ side }, candidate) =>
      sameNamespace(side, candidate) && side.metadata.labels?.[DEPLOYMENT_NAME] === candidate.metadata.name,
  ],
  [mappings.sameName, ({ side }, candidate) => sameKey(side, candidate)],
  [mappings.clusterOf, isOfCluster],
  [clusterOfMachine, (seen, cluster) => !isOfPool(seen.side) && isOfCluster(seen, cluster)],
  [
    clusterOfControlPlane,
    (seen, cluster) => isOfControlPlane(seen.side) && !isOfPool(seen.side) && isOfCluster(seen, cluster),
  ],
  [
    clusterOfTroubled,
    (seen, cluster) =>
      TROUBLES.some(([type, statuses]) =>
        statuses.includes(`${at(seen.side, `status.conditions[${type}].status`)}`),
      ) &&
      !isOfPool(seen.side) &&
      isOfCluster(seen, cluster),
  ],
  [mappings.referencing, ({ side }, candidate) => isReferencedBy(side, candidate)],
  [
    mappings.referencingKind,
    ({ side }, candidate) =>
      referencesOf(candidate).some(
        ({ apiGroup, kind }) => apiGroup === at(side, "spec.group") && kind === at(side, "spec.names.kind"),
      ),
  ],
  [mappings.owners, ({ side }, candidate) => isOwner(candidate, side)],
  [mappings.ownedBy, ({ side }, candidate) => isOwner(side, candidate)],
  [
    mappings.siblings,
    ({ side }, candidate) => ownersOf(side).some((uid) => ownersOf(candidate).includes(uid)),
  ],
  [
    mappings.poolOfMachine,
    ({ side }, candidate) =>
      isOwner(candidate, side) ||
      (sameNamespace(side, candidate) &&
        side.metadata.labels?.[POOL_NAME] === candidate.metadata.name &&
        side.metadata.labels?.[CLUSTER_NAME] !== undefined),
  ],
  [
    mappings.referenced,
    ({ side }, candidate) =>
      sameNamespace(side, candidate) &&
      referencesOf(side).some(
        ({ apiGroup, kind, name }) =>
          apiGroup === groupOf(candidate) && kind === candidate.kind && name === candidate.metadata.name,
      ),
  ],
  [mappings.claimantsOfNode, claimsNode],
  [
    mappings.sharingProviderID,
    ({ side }, candidate) =>
      (at(side, "spec.providerID") ?? "") !== "" &&
      at(side, "spec.providerID") === at(candidate, "spec.providerID") &&
      areOfOneCluster(side, candidate),
  ],
  [checkMappings.selectingChecks, ({ side }, candidate) => isSelectedBy(side, candidate)],
  [
    checkMappings.checksOfConditions,
    ({ side }, candidate) =>
      (isOfControlPlane(side) || at(candidate, "spec.checks.unhealthyMachineConditions") !== undefined) &&
      isSelectedBy(side, candidate),
  ],
  [
    checkMappings.checksOfNode,
    ({ side, cluster, machines }, candidate) =>
      machines.some(
        (machine) =>
          cluster === `${machine.metadata.namespace}/${clusterOf(machine)}` &&
          at(machine, "status.nodeRef.name") === side.metadata.name &&
          isSelectedBy(machine, candidate),
      ),
  ],
  [
    checkMappings.checksOfNamesake,
    ({ side, machines }, candidate) =>
      at(candidate, "spec.remediation.templateRef.kind") === `${side.kind}Template` &&
      machines.some((machine) => sameKey(machine, side) && isSelectedBy(machine, candidate)),
  ],
]);

function isOfCluster({ side }: Side, cluster: KubeObject): boolean {
  const named = side.metadata.labels?.[CLUSTER_NAME] ?? at(side, "spec.clusterName");
  return sameNamespace(side, cluster) && named === cluster.metadata.name;
}

/** A Machine that no set owns: each set of its Cluster may adopt it, or the one that its label names. */
function isCandidate({ kind, metadata, ...rest }: KubeObject, set: KubeObject): boolean {
  const owners = metadata.ownerReferences ?? [];
  if (owners.some((owner) => owner.kind === "MachineSet")) return false;
  const cluster = at(rest, "spec.clusterName") ?? metadata.labels?.[CLUSTER_NAME];
  if ((metadata.namespace ?? "") !== set.metadata.namespace || clusterOf(set) !== cluster) return false;
  const isOrphan = kind === "Machine" && !owners.some(({ controller }) => controller === true);
  return isOrphan || metadata.labels?.["cluster.x-k8s.io/set-name"] === set.metadata.name;
}

/** A set without controller: each deployment of its Cluster may adopt it. */
function isAdoptedBy(set: KubeObject, deployment: KubeObject): boolean {
  return controllerOf(set) === undefined && areOfOneCluster(set, deployment);
}

function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** A Machine whose labels its health check names; expressions may leave out some of them. */
function isSelectedBy(machine: KubeObject, check: KubeObject): boolean {
  const wanted = Object.entries(Object(at(check, "spec.selector.matchLabels")) as object);
  return (
    areOfOneCluster(machine, check) &&
    wanted.every(([name, value]) => machine.metadata.labels?.[name] === value)
  );
}

function areOfOneCluster(a: KubeObject, b: KubeObject): boolean {
  const [name, other] = [clusterOf(a), clusterOf(b)];
  return sameNamespace(a, b) && name !== undefined && name === other;
}

function isOfControlPlane({ metadata }: KubeObject): boolean {
  return Object.hasOwn(metadata.labels ?? {}, "cluster.x-k8s.io/control-plane");
}

function isReferencedBy(object: KubeObject, candidate: KubeObject): boolean {
  return (
    sameNamespace(object, candidate) &&
    referencesOf(candidate).some(
      ({ apiGroup, kind, name }) =>
        apiGroup === groupOf(object) && kind === object.kind && name === object.metadata.name,
    )
  );
}

function isOfPool({ kind, metadata }: KubeObject): boolean {
  return kind === "Machine" && metadata.labels?.[POOL_NAME] !== undefined;
}

function leadsTo({ toKeys }: Watch, seen: Side, candidate: KubeObject): boolean {
  const concerns = CONCERNS.get(toKeys);
  if (concerns === undefined)
    throw new Error(`concerned.ts does not know the mapping ${toKeys.name} yet; add its promise`);
  return concerns(seen, candidate);
}

/** A Node: the pools and Machines of its Cluster that list its instance or name it. */
function claimsNode({ side, cluster }: Side, candidate: KubeObject): boolean {
  if (cluster !== `${candidate.metadata.namespace}/${clusterOf(candidate)}`) return false;
  const listed = [at(candidate, "spec.providerIDList"), at(candidate, "spec.providerID")].flat();
  const refs = [at(candidate, "status.nodeRefs"), at(candidate, "status.nodeRef")].flat();
  const providerID = at(side, "spec.providerID") ?? "";
  return (
    (providerID !== "" && listed.includes(providerID)) ||
    refs.some((ref) => Object(ref).name === side.metadata.name)
  );
}

const CLUSTER_NAME = "cluster.x-k8s.io/cluster-name";
const POOL_NAME = "cluster.x-k8s.io/pool-name";
const DEPLOYMENT_NAME = "cluster.x-k8s.io/deployment-name";

/** The tenant of a key is the namespace of its object and the Cluster that it names in a field. */
function keyOf({ kind, clusterNamePath }: Kind, object: KubeObject): Key {
  const { namespace = "", name } = object.metadata;
  const cluster = clusterNamePath === undefined ? undefined : at(object, clusterNamePath);
  return `${namespace}/${typeof cluster === "string" && cluster !== "" ? cluster : "-"}|${kind}|${namespace}/${name}`;
}

function groupOf({ apiVersion }: KubeObject): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

function sameNamespace(a: KubeObject, b: KubeObject): boolean {
  return (a.metadata.namespace ?? "") === (b.metadata.namespace ?? "");
}

function sameKey(a: KubeObject, b: KubeObject): boolean {
  return sameNamespace(a, b) && a.metadata.name === b.metadata.name;
}

function ownersOf({ metadata }: KubeObject): readonly string[] {
  return metadata.ownerReferences?.map(({ uid }) => uid) ?? [];
}

function isOwner(owner: KubeObject, object: KubeObject): boolean {
  return owner.metadata.uid !== undefined && ownersOf(object).includes(owner.metadata.uid);
}

/** By the field that its kind has for it, else by its label. */
function clusterOf(object: KubeObject): unknown {
  const { clusterNamePath } = anyKindOf(groupOf(object), object.kind) ?? {};
  const named = clusterNamePath === undefined ? undefined : at(object, clusterNamePath);
  return named ?? object.metadata.labels?.[CLUSTER_NAME];
}

interface Reference {
  readonly apiGroup?: string;
  /** In place of the group, where the version counts. */
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
}

/** Where an object names objects of providers. */
function referencesOf(object: KubeObject): readonly Reference[] {
  const paths = anyKindOf(groupOf(object), object.kind)?.references ?? [];
  const found = paths.map((path) => at(object, path)).filter((value) => value !== undefined);
  return (found as readonly Reference[]).map(({ apiVersion, ...reference }) =>
    apiVersion === undefined ? reference : { ...reference, apiGroup: apiVersion.split("/")[0] ?? "" },
  );
}
