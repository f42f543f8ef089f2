import { type ConfigMap, Secret } from "../../api/core.ts";
import type { Selection } from "../../api/indexes.ts";
import {
  type ClusterName,
  type ContractReference,
  type Kind,
  type KubeObject,
  MANAGEMENT,
  type ObjectKey,
  objectKeyOf,
} from "../../api/kinds.ts";
import type { ContractKind } from "../../contract/contract-kind.ts";
import { type Referenced, unresolved } from "../../contract/referenced.ts";
import { type AnyFunction, isContractKind } from "../../function/define-function.ts";
import { assert, KubeError } from "../../function/errors.ts";
import { groupOf } from "../../function/groups.ts";
import type { ListOptions, LiveReader } from "../../function/reads.ts";
import type { Clients, Issuer, Manifests, Store } from "../ports.ts";
import { keepDeclared } from "./kept-fields.ts";
import { crdExistsLive, resolveListedReference } from "./resolve-reference.ts";

export interface LiveReaderOptions {
  readonly function: AnyFunction;
  readonly store: Store;
  readonly clients: Clients;
  /** Needed by functions that read Secrets. */
  readonly issuer?: Issuer | undefined;
  /** Needed by functions that deliver manifests. */
  readonly manifests?: Manifests | undefined;
}

/** A read as it was made; most runs are over before a record of it is needed. */
export interface Seen {
  readonly source: "snapshot" | "live";
  readonly cluster: ClusterName;
  readonly kind: { readonly kind: string };
  readonly asked: ObjectKey | Selection | ListOptions;
  readonly found: readonly (Pick<KubeObject, "metadata"> | undefined)[];
}

/** Where a live reader keeps what it has read. */
interface Notes {
  readonly seen: Seen[];
  /** The version of each object, by `objectText`; undefined where there was none. */
  readonly versions: Map<string, string | undefined>;
}

export function objectText(
  cluster: ClusterName,
  { group, kind }: Pick<Kind, "group" | "kind">,
  key: ObjectKey,
): string {
  return `${cluster} ${group}/${kind} ${key.namespace}/${key.name}`;
}

/** Reads the API servers, and of every object only what the function declares; of a Secret only a summary. */
export function createLiveReader(
  { clients, store, function: fn, issuer, manifests }: LiveReaderOptions,
  { seen, versions }: Notes,
): LiveReader {
  /** Reads one object, and notes the part of it that the function gets. */
  async function one<T extends KubeObject, Part extends Pick<KubeObject, "metadata">>(
    kind: Kind<T>,
    asked: ObjectKey,
    cluster: ClusterName,
    partOf: (served: T) => Part,
  ): Promise<Part | undefined> {
    const served = await clients.of(cluster, fn.spec.name).get(kind, asked);
    const found = served && partOf(served);
    versions.set(objectText(cluster, kind, asked), found?.metadata.resourceVersion);
    seen.push({ source: "live", cluster, kind, asked, found: [found] });
    return found;
  }
  async function get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster: ClusterName = MANAGEMENT) {
    requireReadable(fn.spec, kind, cluster);
    return one(kind, key, cluster, (served) => declaredPart(fn, kind, served));
  }
  return {
    get,
    async secret(key) {
      const { spec } = fn;
      const isDeclared = spec.readsLive?.some((on) => isKind(on, Secret)) === true;
      assert(isDeclared, `${spec.name} reads a Secret, which it does not declare`);
      assert(issuer !== undefined, `${spec.name} reads a Secret in a process that may read none`);
      return one(Secret, key, MANAGEMENT, issuer.describe);
    },
    async manifests(kind, key) {
      const { spec } = fn;
      const isDeclared = spec.delivers?.some((on) => isKind(on, kind)) === true;
      assert(isDeclared, `${spec.name} reads manifests of a ${kind.kind}, which it does not declare`);
      assert(manifests !== undefined, `${spec.name} reads manifests in a process that may read none`);
      return one(kind as Kind as Kind<Secret | ConfigMap>, key, MANAGEMENT, manifests.describe);
    },
    async list<T extends KubeObject>(
      kind: Kind<T>,
      selection: ListOptions,
      cluster: ClusterName = MANAGEMENT,
    ) {
      requireReadable(fn.spec, kind, cluster);
      const { items: served } = await clients.of(cluster, fn.spec.name).list(kind, selection);
      const items = served.map((item) => declaredPart(fn, kind, item));
      for (const item of items) {
        versions.set(objectText(cluster, kind, objectKeyOf(item)), item.metadata.resourceVersion);
      }
      seen.push({ source: "live", cluster, kind, asked: selection, found: items });
      return items;
    },
    async referenced<T extends KubeObject>(
      reference: ContractReference,
      namespace: string,
    ): Promise<Referenced<T>> {
      const client = clients.of(MANAGEMENT, fn.spec.name);
      const resolved = await resolveListedReference(store, reference);
      if (resolved.state === "unresolved") {
        return { ...resolved, crdExists: resolved.crdExists || (await crdExistsLive(client, reference)) };
      }
      try {
        const object = await get(resolved.kind as Kind as Kind<T>, { namespace, name: reference.name });
        return object === undefined
          ? { ...resolved, state: "missing" }
          : { ...resolved, state: "found", object };
      } catch (error) {
        if (!(error instanceof KubeError) || error.reason !== "TypeNotServed") throw error;
        return unresolved(reference, await crdExistsLive(client, reference), "is not served");
      }
    },
  };
}

/**
 * Returns the declared fields of an object, as a snapshot has them (S-22): the function decides by nothing
 * else, so that a letter holds nothing else of a user's objects.
 */
function declaredPart<T extends KubeObject>(fn: AnyFunction, kind: Kind<T>, object: T): T {
  return keepDeclared(fn, kind as unknown as Kind)(object) as T;
}

/** Returns whether a function may ask the server: that of a workload only where its runs are limited. */
export function mayReadLive(spec: AnyFunction["spec"], cluster: ClusterName): boolean {
  return cluster === MANAGEMENT || groupOf(spec) === "workload";
}

function requireReadable(spec: AnyFunction["spec"], kind: Kind, cluster: ClusterName): void {
  const { name, reconciles, watches, readsLive = [] } = spec;
  assert(!isKind(kind, Secret), `${name} reads a Secret with its values; use read.live.secret`);
  assert(mayReadLive(spec, cluster), `${name} reads from ${cluster} live and sets no maxRunningPerTenant`);
  const declared = [reconciles, ...watches.map(({ on }) => on), ...readsLive];
  const known = declared.some((on) => isContractKind(on) || isKind(on, kind));
  assert(known, `${name} reads ${kind.kind} live, which it neither watches nor declares`);
}

export function isKind(on: Kind | ContractKind, kind: Pick<Kind, "group" | "kind">): boolean {
  return !isContractKind(on) && on.group === kind.group && on.kind === kind.kind;
}
