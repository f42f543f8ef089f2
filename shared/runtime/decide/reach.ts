import { clusterNameOf } from "../../api/indexes.ts";
import {
  type ClusterName,
  type Kind,
  type KubeObject,
  MANAGEMENT,
  workloadCluster,
} from "../../api/kinds.ts";
import type { AnyDecision, AnyFunction } from "../../function/define-function.ts";
import { assert } from "../../function/errors.ts";
import type { Reader } from "../../function/reads.ts";

/**
 * Where the runs about one object look and write: on the management server in the namespace of the object, and on no
 * workload server but that of its own Cluster (S-30, S-32). A bug in a function, or a reference that a user has made up,
 * then stays in the namespace of that user. Objects without a namespace can be read by all.
 */
export interface Reach {
  readonly functionName: string;
  readonly namespace: string;
  /** The Cluster; absent for an object that belongs to no Cluster. */
  readonly workload: ClusterName | undefined;
}

export function reachOf({ spec }: AnyFunction, object: KubeObject): Reach {
  const { namespace = "" } = object.metadata;
  const name = clusterNameOf(spec.reconciles, object);
  return {
    functionName: spec.name,
    namespace,
    workload: name === undefined ? undefined : workloadCluster({ namespace, name }),
  };
}

/** Returns a reader that asks for nothing beyond the reach and refuses lists that hold anything beyond it. */
export function withinReach(read: Reader, reach: Reach): Reader {
  const { live } = read;
  return {
    ...readsWithin(read, reach),
    live: {
      ...readsWithin(live, reach),
      secret: async (key) => {
        requireNamespace(reach, { kind: "Secret" }, key.namespace);
        return live.secret(key);
      },
      manifests: async (kind, key) => {
        requireNamespace(reach, kind, key.namespace);
        return live.manifests(kind, key);
      },
    },
  };
}

/** Reads that the read model and the servers both answer; they differ in how a list is chosen. */
interface Reads<Chosen> extends Pick<Reader, "get" | "referenced"> {
  list<T extends KubeObject>(kind: Kind<T>, chosen: Chosen, cluster?: ClusterName): Promise<readonly T[]>;
}

function readsWithin<Chosen>(read: Reads<Chosen>, reach: Reach): Reads<Chosen> {
  return {
    get: async (kind, key, cluster = MANAGEMENT) => {
      requireWithin(reach, { cluster, kind, namespace: key.namespace });
      return read.get(kind, key, cluster);
    },
    list: async (kind, chosen, cluster = MANAGEMENT) => {
      requireServer(reach, cluster, kind);
      return requireAllWithin(reach, cluster, kind, await read.list(kind, chosen, cluster));
    },
    referenced: async (reference, namespace) => {
      requireNamespace(reach, reference, namespace);
      return read.referenced(reference, namespace);
    },
  };
}

/** Refuses a decision with a write, or an Event, beyond the reach. */
export function checkReach(reach: Reach, decision: AnyDecision): void {
  const {
    deliver,
    issue = [],
    create = [],
    patch = [],
    evict,
    applyOn = [],
    delete: deletes = [],
    events = [],
  } = decision;
  const refused = create.flatMap(({ ifRefused }) => ifRefused ?? []);
  const targets = [...patch, ...refused, ...(evict?.pods ?? []), ...applyOn, ...deletes];
  for (const { target } of targets) requireWithin(reach, target);
  for (const { cluster, source } of deliver?.of ?? []) {
    requireServer(reach, cluster, source.kind);
    requireWithin(reach, source);
  }
  for (const { cluster, kind, object } of create) {
    requireWithin(reach, { cluster, kind, namespace: object.metadata.namespace ?? "" });
  }
  for (const { secret } of issue) requireNamespace(reach, { kind: "Secret" }, secret.namespace);
  for (const { about } of events) {
    if (about !== undefined) requireNamespace(reach, about, about.metadata.namespace ?? reach.namespace);
  }
}

interface Place {
  readonly cluster: ClusterName;
  readonly kind: Kind;
  readonly namespace: string;
}

function requireWithin(reach: Reach, { cluster, kind, namespace }: Place): void {
  requireServer(reach, cluster, kind);
  if (cluster === MANAGEMENT && kind.namespaced) requireNamespace(reach, kind, namespace);
}

function requireServer({ functionName, workload }: Reach, cluster: ClusterName, { kind }: Kind): void {
  const isReached = cluster === MANAGEMENT || cluster === workload;
  assert(isReached, `${functionName} reaches for ${kind} of the foreign Cluster ${cluster}`);
}

function requireNamespace(
  { functionName, namespace: own }: Reach,
  { kind }: { readonly kind: string },
  namespace: string,
): void {
  assert(namespace === own, `${functionName} reaches for ${kind} of the foreign Namespace ${namespace}`);
}

function requireAllWithin<T extends KubeObject>(
  reach: Reach,
  cluster: ClusterName,
  kind: Kind,
  objects: readonly T[],
): readonly T[] {
  for (const { metadata } of objects) {
    requireWithin(reach, { cluster, kind, namespace: metadata.namespace ?? "" });
  }
  return objects;
}
