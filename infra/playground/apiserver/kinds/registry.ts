import type { Cause } from "../errors/status-error.ts";
import type { Json, JsonObject } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { Schema } from "../schema/schema.ts";
import type { NameForm } from "./metadata.ts";

/** A column of `kubectl get`. `value` replaces `jsonPath` where a path cannot say it. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, anything else with `-o wide`. */
  readonly priority?: number;
  readonly jsonPath?: string;
  readonly value?: (object: KubeObject, now: Date) => Json;
}

/** The three paths of a scale subresource, with their leading dot. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** One version of a resource type, as clients see it. */
export interface ServedVersion {
  readonly version: string;
  readonly schema: Schema;
  readonly hasStatus: boolean;
  readonly scale?: ScalePaths;
  /** Name comes first unless one of them has format `name`; undefined means only Age. */
  readonly columns?: readonly Column[];
  readonly deprecation?: string;
  /** Subresources beside status and scale: name → kind and verbs for discovery. */
  readonly subresources?: Readonly<
    Record<
      string,
      {
        readonly kind: string;
        readonly group?: string;
        readonly version?: string;
        readonly verbs: readonly string[];
      }
    >
  >;
}

/** Behaviour of a compiled-in kind beyond its schema. */
export interface Strategy {
  /** Fields that an object gets when it is decoded; they belong to the client that sent the object. */
  readonly defaults?: (object: KubeObject) => KubeObject;
  /** Fields the server fills in on create and update, before validation; they have no owner. */
  readonly prepare?: (next: KubeObject, live: KubeObject | undefined, subresource?: string) => KubeObject;
  /** Why it is refused; where this is absent the schema says it. */
  readonly validate?: (next: KubeObject, live: KubeObject | undefined) => readonly Cause[];
  /** Seconds between the deletion of an object and its end, apart from finalizers; `asked` is the client's wish. */
  readonly gracePeriodSeconds?: (live: KubeObject, asked: number | undefined) => number;
  /** Texts for Warning headers when an object is created or changed. */
  readonly warnings?: (next: KubeObject) => readonly string[];
}

/** A question to the server in the form of an object: may this user do that, and who am I? */
export type Review = "selfAccess" | "access" | "selfSubject";

/** A resource type: one plural in one group, with all its versions. */
export interface ResourceType {
  /** `group/plural`, the name of its collection; the core group is empty: `/secrets`. */
  readonly id: string;
  readonly group: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  /** Whether it comes from a CRD: no strategic merge. */
  readonly custom: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersion: string;
  /** All custom resources, and core kinds with a spec that a controller acts on. */
  readonly hasGeneration: boolean;
  /** Nodes report their status when they register; everything else begins without one. */
  readonly statusOnCreate?: boolean;
  /** How names are checked; a DNS subdomain when absent. */
  readonly nameForm?: NameForm;
  /** Best version first. */
  readonly versions: readonly ServedVersion[];
  /** Versions in `versions` that are stored but not served to clients. */
  readonly unserved?: readonly string[];
  /** Field selectors beside metadata.name and metadata.namespace: dotted paths. */
  readonly selectableFields?: readonly string[];
  readonly verbs?: readonly string[];
  readonly strategy?: Strategy;
  /** Asks for objects in another version, one for one; absent where only the apiVersion differs. */
  readonly convert?: (objects: readonly KubeObject[], apiVersion: string) => Promise<readonly Json[]>;
  /** Finalizers need no domain. */
  readonly plainFinalizers?: boolean;
  /** PUT must say which version it replaces. */
  readonly needsVersion?: boolean;
  /** PUT of a missing object creates it. */
  readonly createsOnUpdate?: boolean;
  /** Fields that its objects always carry. */
  readonly zero?: JsonObject;
  /** Members that its objects never carry empty: dotted paths. */
  readonly omitted?: readonly string[];
  /** The answer to a deletion is always the object, even when it is gone. */
  readonly answersDeleted?: boolean;
  /** Every create is answered without storing anything. */
  readonly review?: Review;
}

/** Returns `widgets.test.capstan.dev`, or `secrets` for the core group. */
export function qualifiedPlural(type: ResourceType): string {
  return type.group === "" ? type.plural : `${type.plural}.${type.group}`;
}

export function groupVersion(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

export function servedVersion(type: ResourceType, version: string): ServedVersion | undefined {
  if (type.unserved?.includes(version)) return undefined;
  return type.versions.find((candidate) => candidate.version === version);
}

export function storageVersionOf(type: ResourceType): ServedVersion {
  const found = type.versions.find((candidate) => candidate.version === type.storageVersion);
  if (!found) throw new Error(`${type.id} has no version ${type.storageVersion}`);
  return found;
}

/** The resource types of one virtual server; CRDs come and go. */
export class Registry {
  readonly #types = new Map<string, ResourceType>();
  #revision = 0;
  #groups: Map<string, readonly string[]> | undefined;

  constructor(types: readonly ResourceType[]) {
    for (const type of types) this.#types.set(type.id, type);
  }

  /** Raised by every change; the ETag of discovery and OpenAPI documents. */
  get revision(): number {
    return this.#revision;
  }

  get types(): Iterable<ResourceType> {
    return this.#types.values();
  }

  get(id: string): ResourceType | undefined {
    return this.#types.get(id);
  }

  find(group: string, plural: string): ResourceType | undefined {
    return this.#types.get(`${group}/${plural}`);
  }

  findKind(group: string, kind: string): ResourceType | undefined {
    for (const type of this.#types.values()) {
      if (type.group === group && type.kind === kind) return type;
    }
    return undefined;
  }

  /** The same kinds but for some, which clients then find neither in discovery nor elsewhere. */
  without(isHidden: (type: ResourceType) => boolean): Registry {
    return new Registry([...this.#types.values()].filter((type) => !isHidden(type)));
  }

  set(type: ResourceType): void {
    this.#types.set(type.id, type);
    this.#changed();
  }

  delete(id: string): void {
    if (this.#types.delete(id)) this.#changed();
  }

  /** Groups with their served versions, best first, in order of registration. */
  groups(): ReadonlyMap<string, readonly string[]> {
    this.#groups ??= collectGroups(this.#types.values());
    return this.#groups;
  }

  /** The types of a group version with that version's schema. */
  served(group: string, version: string): { type: ResourceType; served: ServedVersion }[] {
    const found: { type: ResourceType; served: ServedVersion }[] = [];
    for (const type of this.#types.values()) {
      const served = type.group === group ? servedVersion(type, version) : undefined;
      if (served) found.push({ type, served });
    }
    return found;
  }

  #changed(): void {
    this.#revision++;
    this.#groups = undefined;
  }
}

function collectGroups(types: Iterable<ResourceType>): Map<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const type of types) {
    const versions = groups.get(type.group) ?? [];
    for (const { version } of type.versions) {
      if (servedVersion(type, version) && !versions.includes(version)) versions.push(version);
    }
    if (versions.length > 0) groups.set(type.group, versions.sort(compareApiVersions));
  }
  return groups;
}

const STABILITY = { alpha: 1, beta: 2, "": 3 } as const;

/** Kubernetes' order of versions: v2, v1, v1beta2, v1beta1, v1alpha1, then anything else by name. */
export function compareApiVersions(a: string, b: string): number {
  const left = rank(a);
  const right = rank(b);
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : 1;
  return right[0] - left[0] || right[1] - left[1] || right[2] - left[2];
}

function rank(version: string): readonly [number, number, number] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return undefined;
  const stability = (match[2] ?? "") as keyof typeof STABILITY;
  return [STABILITY[stability], Number(match[1]), Number(match[3] ?? 0)];
}
