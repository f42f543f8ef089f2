import { BROUGHT_BY, CustomResourceDefinition, type Node } from "../../shared/api/core.ts";
import { PAUSED_ANNOTATION, TEMPLATE_SUFFIX } from "../../shared/api/indexes.ts";
import { groupOf, type KubeObject, type ObjectMeta } from "../../shared/api/kinds.ts";
import { valueAt } from "../../shared/api/path.ts";
import { type KindLookup, kindOf as ofCore } from "../../shared/api/registry.ts";
import { LAST_APPLIED } from "../../shared/redaction/last-applied.ts";
import { fieldManagersAt, type ManagedFieldsEntry } from "../../shared/runtime/write/field-managers.ts";
import { missingFields } from "../platform/crds/missing-fields.ts";
import { packageVersion } from "../platform/package-version.ts";

/** An object as the API server sends it. */
interface ServedMeta extends ObjectMeta {
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined;
}

/**
 * Returns the part of an object that is kept (KR-01, S-22): of managedFields only the names that hold a contested path,
 * no last-applied annotation; of Nodes and CustomResourceDefinitions only the fields that rules read. Never data of a Secret.
 * The entries of managers that are `noUsers` are left out: their fields are taken over. A kind that `kindOf` does not
 * find is one of a provider of others.
 */
export function snapshotOf(
  object: KubeObject,
  contested: readonly string[],
  noUsers: readonly string[] = [],
  kindOf: KindLookup = ofCore,
): KubeObject {
  if (object.apiVersion === "v1" && object.kind === "Secret" && Object.hasOwn(object, "data")) {
    throw new Error("bug: Secrets are never stored");
  }
  if (object.apiVersion === "v1" && object.kind === "Node") return nodeSnapshot(object as Node);
  if (object.kind === CustomResourceDefinition.kind && object.apiVersion === "apiextensions.k8s.io/v1") {
    return crdSnapshot(object as CustomResourceDefinition);
  }
  const {
    managedFields,
    managers: _managers,
    foreign: _foreign,
    isElsewhere: _isElsewhere,
    standsBack: _standsBack,
    pausedBy: _pausedBy,
    isSilent: _isSilent,
    ...metadata
  } = object.metadata as ServedMeta;
  const annotations = metadata.annotations;
  const users = (managedFields ?? []).filter(({ manager = "" }) => !noUsers.includes(manager));
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(annotations === undefined ? {} : { annotations: withoutLastApplied(annotations) }),
      ...(contested.length === 0 ? {} : { managers: managersAt(users, contested) }),
      ...factsForPeople(object, managedFields ?? [], kindOf),
    },
  };
}

/** Facts for `explain` and the console, by which no function decides; most objects have none. */
function factsForPeople(
  object: KubeObject,
  managedFields: readonly ManagedFieldsEntry[],
  kindOf: KindLookup,
): Pick<ObjectMeta, "pausedBy" | "isSilent"> {
  const isProviders = kindOf(groupOf(object.apiVersion), object.kind) === undefined;
  const isSilent =
    isProviders && !object.kind.endsWith(TEMPLATE_SUFFIX) && valueAt(object, "status") === undefined;
  const [field] = PAUSES.filter((path) => ![undefined, false].includes(valueAt(object, path) as undefined));
  const [pausedBy] = field === undefined ? [] : fieldManagersAt(managedFields, field);
  return { ...(pausedBy === undefined ? {} : { pausedBy }), ...(isSilent ? { isSilent } : {}) };
}

const PAUSES = ["spec.paused", `metadata.annotations[${PAUSED_ANNOTATION}]`];

/**
 * Returns the snapshot of a CustomResourceDefinition whose objects are not watched yet. `markWatched` changes the
 * snapshot without a change on the API server, so it must raise the version itself: the stored version is the server's
 * with a digit appended.
 */
function crdSnapshot(crd: CustomResourceDefinition): CustomResourceDefinition {
  const { metadata, spec } = crd;
  const lacks = lackingIn(crd);
  return {
    apiVersion: crd.apiVersion,
    kind: crd.kind,
    metadata: { ...coreMeta(metadata), resourceVersion: `${metadata.resourceVersion ?? ""}0` },
    spec: {
      group: spec.group,
      names: { kind: spec.names.kind, plural: spec.names.plural },
      scope: spec.scope,
      versions: spec.versions.map(({ name, served }) => ({ name, served })),
    },
    ...(lacks.length === 0 ? {} : { status: { lacks } }),
  };
}

/** Returns the fields of a status that a definition lacks which another release, or Cluster API, has brought. */
function lackingIn(crd: CustomResourceDefinition): readonly string[] {
  const kind = ofCore(crd.spec.group, crd.spec.names.kind);
  if (kind === undefined || crd.metadata.annotations?.[BROUGHT_BY] === packageVersion()) return [];
  return missingFields(kind, crd).filter((path) => path.startsWith("status."));
}

/** Returns the snapshot of a CustomResourceDefinition whose objects are watched and listed: `status.watched`. */
export function markWatched(snapshot: CustomResourceDefinition): CustomResourceDefinition {
  const resourceVersion = snapshot.metadata.resourceVersion?.replace(/.$/, "1");
  return {
    ...snapshot,
    metadata: { ...snapshot.metadata, resourceVersion },
    status: { ...snapshot.status, watched: true },
  };
}

/** Returns the version that the server has given to the object of a snapshot. */
export function serverVersionOf({ kind, metadata }: KubeObject): string {
  const { resourceVersion = "" } = metadata;
  return kind === CustomResourceDefinition.kind ? resourceVersion.slice(0, -1) : resourceVersion;
}

/** Returns the version at which a snapshot is removed: for CustomResourceDefinitions above both digits. */
export function removalVersion(kind: string, resourceVersion: string): string {
  return kind === CustomResourceDefinition.kind ? `${resourceVersion}9` : resourceVersion;
}

function nodeSnapshot(node: Node): Node {
  const { spec, status } = node;
  return {
    apiVersion: node.apiVersion,
    kind: node.kind,
    metadata: coreMeta(node.metadata),
    spec: {
      providerID: spec?.providerID,
      unschedulable: spec?.unschedulable,
      taints: spec?.taints?.map(({ key, value, effect }) => ({ key, value, effect })),
    },
    status: {
      // Health checks may name any type; only the heartbeat is left out.
      conditions: status?.conditions?.map(({ type, status: is, reason, message, lastTransitionTime }) => ({
        type,
        status: is,
        reason,
        message,
        lastTransitionTime,
      })),
      nodeInfo: textsOf(status?.nodeInfo),
    },
  };
}

function coreMeta(metadata: ObjectMeta): ObjectMeta {
  const {
    name,
    uid,
    resourceVersion,
    creationTimestamp,
    deletionTimestamp,
    finalizers,
    labels,
    annotations,
  } = metadata;
  return {
    name,
    uid,
    resourceVersion,
    creationTimestamp,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations: clusterApiOnly(annotations) }),
  };
}

/** Returns the annotations of Cluster API. Others of Nodes and CRDs are large and change often. */
function clusterApiOnly(annotations: NonNullable<ObjectMeta["annotations"]>) {
  return Object.fromEntries(
    Object.entries(annotations).filter(([name]) => {
      const domain = name.slice(0, Math.max(0, name.indexOf("/")));
      return domain === "cluster.x-k8s.io" || domain.endsWith(".cluster.x-k8s.io");
    }),
  );
}

function withoutLastApplied(annotations: NonNullable<ObjectMeta["annotations"]>) {
  const { [LAST_APPLIED]: _never, ...kept } = annotations;
  return kept;
}

function textsOf(info: NonNullable<Node["status"]>["nodeInfo"]) {
  if (info === undefined) return undefined;
  return Object.fromEntries(Object.entries(info).filter(([, value]) => typeof value === "string"));
}

function managersAt(entries: readonly ManagedFieldsEntry[], contested: readonly string[]) {
  return Object.fromEntries(contested.map((path) => [path, fieldManagersAt(entries, path)]));
}
