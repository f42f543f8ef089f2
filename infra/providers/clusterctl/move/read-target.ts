import { Namespace } from "../../../../shared/api/core.ts";
import { type Kind, type KubeObject, titleOf } from "../../../../shared/api/kinds.ts";
import type {
  Attempt,
  MoveTarget,
  TargetCrd,
  TargetOnly,
  Unread,
} from "../../../../shared/contract/rules/move/subject.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { KubeClient } from "../../../../shared/runtime/ports.ts";
import { sideBySide } from "../../../../shared/runtime/write/side-by-side.ts";
import {
  CONFIG_MAPS,
  type CrdFacts,
  listReduced,
  refusedList,
  SECRETS,
  storedKind,
  typeKey,
} from "./discovery-types.ts";
import type { ManagementSide } from "./management-side.ts";
import { contentDigest, reduceObject, type SourceObject } from "./source-object.ts";

/** An object that is tried. */
export interface Tried {
  readonly title: string;
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

interface Sides {
  readonly source: KubeClient;
  /** Its writes are dry runs. */
  readonly target: KubeClient;
}

/**
 * Asks the target, object by object in the order of creation, whether it would create them, without owners: theirs do
 * not exist there. Nothing is stored. Throws KubeError where a server does not answer.
 */
export async function tryObjects(
  { source, target }: Sides,
  groups: readonly (readonly Tried[])[],
): Promise<readonly Attempt[]> {
  const namespaces = new Set(groups.flat().flatMap(({ namespace }) => (namespace === "" ? [] : [namespace])));
  const missing = new Set<string>();
  await sideBySide([...namespaces], async (name) => {
    if ((await target.get(Namespace, { namespace: "", name })) === undefined) missing.add(name);
  });
  const attempts: Attempt[] = [...missing].map((name) => ({
    title: `Namespace ${name}`,
    outcome: "no namespace",
  }));
  for (const group of groups) {
    const possible = group.filter(({ namespace }) => !missing.has(namespace));
    await sideBySide(possible, async (tried) => {
      attempts.push({ title: tried.title, ...(await tryObject({ source, target }, tried)) });
    });
  }
  return attempts;
}

async function tryObject(
  { source, target }: Sides,
  { kind, namespace, name }: Tried,
): Promise<Omit<Attempt, "title">> {
  const found = await source.get(kind, { namespace, name });
  if (found === undefined) return { outcome: "gone" };
  try {
    await target.create(kind, asNew(found));
    return { outcome: "accepted" };
  } catch (error) {
    if (!(error instanceof KubeError) || error.status === 0) throw error;
    if (error.reason === "AlreadyExists") return { outcome: "exists" };
    return { outcome: "refused", message: messageOf(error, kind) };
  }
}

/** Returns a complete object as clusterctl creates it, except for what the server itself sets and for owners. */
function asNew(object: KubeObject): KubeObject {
  const { name, namespace, labels, annotations, finalizers } = object.metadata;
  const metadata = { name, namespace, labels, annotations, finalizers };
  return { ...object, metadata };
}

/** A server may quote a value in its refusal; of a Secret only the fields are named. */
function messageOf({ status, reason, message, causes }: KubeError, { kind, group }: Kind): string {
  if (kind !== "Secret" || group !== "") return message;
  const fields = causes.flatMap(({ field }) => (field === undefined ? [] : [field.slice(0, MAX_FIELD)]));
  return `${reason} (${status})${fields.length === 0 ? "" : `: ${fields.join(", ")}`}`;
}

const MAX_FIELD = 200;

/** The state of the target: what it has of the objects that move. */
export interface TargetObjects extends Pick<MoveTarget, "only" | "running" | "unread"> {
  /** Digests of contents by `objectKey`. */
  readonly digests: ReadonlyMap<string, string>;
  /** `<group>/<Kind>` whose objects could not be listed. */
  readonly unreadKinds: ReadonlySet<string>;
}

/** Where objects of the move set are, and in which version the source stores them. */
export interface MovedType {
  readonly kind: Kind;
  /** The namespaces; undefined: cluster-scoped. */
  readonly namespaces: readonly (string | undefined)[];
}

/** The same for an object of either side. */
export function objectKey(
  { group, kind }: Pick<Kind, "group" | "kind">,
  namespace: string,
  name: string,
): string {
  return `${group}/${kind} ${namespace}/${name}`;
}

/**
 * Lists the kinds of the move set, and whatever else clusterctl would find in the namespace, each once. `isKnown`
 * says whether the source has an object of that key.
 */
export async function readTarget(
  side: ManagementSide,
  { namespace, moved }: { readonly namespace: string; readonly moved: readonly MovedType[] },
  isKnown: (key: string) => boolean,
): Promise<TargetObjects> {
  const digests = new Map<string, string>();
  const only: TargetOnly[] = [];
  const running = new Set<string>();
  const unread: Unread[] = [];
  const unreadKinds = new Set<string>();
  await sideBySide(listsOf(side.crds, namespace, moved), async ({ kind, namespace: within }) => {
    const reduce = (object: KubeObject) => [reduceObject(object), contentDigest(object)] as const;
    try {
      for (const [object, digest] of await listReduced(side, { kind, namespace: within }, reduce)) {
        const key = objectKey(kind, object.namespace, object.name);
        digests.set(key, digest);
        if (object.cluster !== undefined && !isPaused(object)) running.add(titleOf(object.kind, object));
        if (!isKnown(key)) only.push(targetOnly(object, kind));
      }
    } catch (error) {
      unread.push(refusedList(error, kind));
      unreadKinds.add(typeKey(kind));
    }
  });
  return { digests, only, running, unread, unreadKinds };
}

function targetOnly(object: SourceObject, { group }: Kind): TargetOnly {
  const { kind, clusterName, cluster } = object;
  const canPause = cluster !== undefined || kind === "ClusterClass";
  const paused = canPause && isPaused(object);
  return { title: titleOf(object.kind, object), kind, group, clusterName, paused };
}

function isPaused({ hasPausedAnnotation, cluster }: SourceObject): boolean {
  return hasPausedAnnotation || cluster?.paused === true;
}

function listsOf(
  crds: readonly CrdFacts[],
  namespace: string,
  moved: readonly MovedType[],
): readonly { readonly kind: Kind; readonly namespace: string | undefined }[] {
  const seen = new Set(moved.map(({ kind }) => typeKey(kind)));
  const rest = crds
    .filter(({ discovered, namespaced }) => discovered && namespaced)
    .flatMap((crd) => storedKind(crd) ?? [])
    .filter((kind) => !seen.has(typeKey(kind)));
  return [
    ...moved.flatMap(({ kind, namespaces }) => namespaces.map((each) => ({ kind, namespace: each }))),
    ...rest.map((kind) => ({ kind, namespace })),
  ];
}

/** Returns the CRDs by `<group>/<Kind>`. */
export function targetCrds(crds: readonly CrdFacts[]): ReadonlyMap<string, TargetCrd> {
  return new Map(
    crds.map((crd) => [
      typeKey(crd),
      { served: crd.served, storage: crd.storage, discovered: crd.discovered },
    ]),
  );
}

export function isBuiltIn(kind: Kind): boolean {
  return [SECRETS, CONFIG_MAPS].some((each) => typeKey(each) === typeKey(kind));
}
