import { CLUSTER_GROUP, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import { listAt, textAt, valueAt } from "../../../../shared/api/path.ts";
import {
  DISCOVERED_LABEL,
  MOVE_HIERARCHY_LABEL,
  MOVE_LABEL,
} from "../../../../shared/contract/clusterctl-marks.ts";
import type { Unread } from "../../../../shared/contract/rules/move/subject.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { ServerClient } from "../../../platform/kube/verbs.ts";
import { ADDONS_GROUP } from "./source-object.ts";

/** One management cluster of a move, only read. */
export interface Side {
  readonly client: ServerClient;
  /** `source`, `target`: for messages. */
  readonly name: string;
}

interface Wanted {
  readonly kind: Kind;
  /** The namespace; undefined: all, or the kind has none. */
  readonly namespace?: string | undefined;
  /** Whether it is listed without spec and data. */
  readonly metadataOnly?: boolean | undefined;
  readonly pageItems?: number | undefined;
}

/** More objects than this in one list are not the namespace of a management cluster. */
const MAX_ITEMS = 50_000;

/**
 * Lists objects page by page and keeps of each only what `reduce` returns. A kind that is not served has none, as for
 * clusterctl. Throws KubeError.
 */
export async function listReduced<T>(
  { client }: Side,
  { kind, ...wanted }: Wanted,
  reduce: (object: KubeObject) => T,
): Promise<readonly T[]> {
  let found: T[] = [];
  try {
    for await (const page of client.pages(kind, { ...wanted, maxItems: MAX_ITEMS })) {
      if (page.first) found = [];
      for (const object of page.items) found.push(reduce(object));
    }
  } catch (error) {
    if (error instanceof KubeError && error.reason === "TypeNotServed") return [];
    throw error;
  }
  return found;
}

/** Returns the refused list of an error of the API server; throws every other error. */
export function refusedList(error: unknown, { group, plural }: Kind): Unread {
  if (!(error instanceof KubeError) || error.status !== 403) throw error;
  return { resource: resourceOf({ group, plural }), reason: "Forbidden" };
}

/** Returns `machines.cluster.x-k8s.io`, `secrets` */
function resourceOf({ group, plural }: Pick<Kind, "group" | "plural">): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** A kind whose objects `clusterctl move` lists, in the version that the source stores. */
interface DiscoveryType {
  readonly kind: Kind;
  readonly forceMove: boolean;
  readonly forceMoveHierarchy: boolean;
  /** Cluster-scoped, as its CRD says. */
  readonly global: boolean;
}

/** The part of a CRD that a move looks at. */
export interface CrdFacts {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** `clusterctl move` lists its objects. */
  readonly discovered: boolean;
  readonly movesByLabel: boolean;
  readonly hierarchyByLabel: boolean;
  /** Names of versions. */
  readonly served: readonly string[];
  readonly storage: string | undefined;
}

/** Returns the facts without its schemas, which are nearly all of it. */
export function crdFacts(crd: KubeObject): CrdFacts {
  const labels = crd.metadata.labels ?? {};
  const versions = listAt(crd, "spec.versions");
  const named = (flag: string) =>
    versions.filter((each) => valueAt(each, flag) === true).map((each) => textAt(each, "name"));
  return {
    group: textAt(crd, "spec.group"),
    kind: textAt(crd, "spec.names.kind"),
    plural: textAt(crd, "spec.names.plural"),
    namespaced: textAt(crd, "spec.scope") !== "Cluster",
    discovered: Object.hasOwn(labels, DISCOVERED_LABEL),
    movesByLabel: Object.hasOwn(labels, MOVE_LABEL),
    hierarchyByLabel: Object.hasOwn(labels, MOVE_HIERARCHY_LABEL),
    served: named("served"),
    storage: named("storage")[0],
  };
}

/** The kind of a CRD in the version that its server stores; undefined for one without a storage version. */
export function storedKind({ group, kind, plural, namespaced, storage }: CrdFacts): Kind | undefined {
  return storage === undefined ? undefined : { group, kind, plural, namespaced, version: storage };
}

/** Built into the API server; `clusterctl move` always lists them. */
export const SECRETS: Kind = {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
};
export const CONFIG_MAPS: Kind = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};

/** Kinds whose objects move with everything below them, labelled or not. */
const HIERARCHIES: ReadonlySet<string> = new Set([
  `${CLUSTER_GROUP}/Cluster`,
  `${CLUSTER_GROUP}/ClusterClass`,
  `${ADDONS_GROUP}/ClusterResourceSet`,
]);

/** The types by `<group>/<Kind>`. Source: objectgraph.go, getDiscoveryTypes. */
export type DiscoveryTypes = ReadonlyMap<string, DiscoveryType>;

export function discoveryTypes(crds: readonly CrdFacts[]): DiscoveryTypes {
  const types = new Map<string, DiscoveryType>();
  for (const crd of crds.filter(({ discovered }) => discovered)) {
    const kind = storedKind(crd);
    if (kind === undefined) continue;
    const forceMoveHierarchy = HIERARCHIES.has(typeKey(kind)) || crd.hierarchyByLabel;
    types.set(typeKey(kind), {
      kind,
      forceMoveHierarchy,
      // Whatever moves with its hierarchy moves itself.
      forceMove: forceMoveHierarchy || crd.movesByLabel,
      global: !crd.namespaced,
    });
  }
  for (const kind of [SECRETS, CONFIG_MAPS]) {
    types.set(typeKey(kind), { kind, forceMove: false, forceMoveHierarchy: false, global: false });
  }
  return types;
}

export function typeKey({ group, kind }: Pick<Kind, "group" | "kind">): string {
  return `${group}/${kind}`;
}
