import type { Selection } from "../api/indexes.ts";
import type { ClusterName, ContractReference, Kind, KubeObject, ObjectKey } from "../api/kinds.ts";
import type { Referenced } from "../contract/referenced.ts";
import type { ManifestSummary } from "./manifests.ts";
import type { SecretSummary } from "./secret-summary.ts";

export interface ListOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /**
   * Only objects whose field at `path` is one of these texts: the client drops the others of each page before it reads
   * the next, so that neither the memory nor a letter holds them.
   */
  readonly where?: { readonly path: string; readonly values: readonly string[] } | undefined;
  /** Objects of one page. Default 500. */
  readonly pageItems?: number | undefined;
  /** A list of more objects fails, KubeError `TooLarge`, as soon as that is known. Default 200,000. */
  readonly maxItems?: number | undefined;
}

/** Reads that go to the API server. For destructive decisions, and for Secrets. */
export interface LiveReader {
  /** A Secret of the management server without its values; `undefined` = it does not exist. Refused by `get` and `list`. */
  secret(key: ObjectKey): Promise<SecretSummary | undefined>;
  /** A Secret or ConfigMap of the management server without its values; `undefined` = it does not exist. */
  manifests(kind: Kind, key: ObjectKey): Promise<ManifestSummary | undefined>;
  get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster?: ClusterName): Promise<T | undefined>;
  list<T extends KubeObject>(
    kind: Kind<T>,
    options: ListOptions,
    cluster?: ClusterName,
  ): Promise<readonly T[]>;
  referenced<T extends KubeObject = KubeObject>(
    reference: ContractReference,
    namespace: string,
  ): Promise<Referenced<T>>;
}

/** The only door into a step. Every read is recorded for replay. */
export interface Reader {
  /** Reads the read model; `undefined` = known not to exist. Throws WaitingError while the kind is still listing. */
  get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster?: ClusterName): Promise<T | undefined>;
  list<T extends KubeObject>(
    kind: Kind<T>,
    selection: Selection,
    cluster?: ClusterName,
  ): Promise<readonly T[]>;
  /** A provider object by reference, in the version of its CRD's contract labels. */
  referenced<T extends KubeObject = KubeObject>(
    reference: ContractReference,
    namespace: string,
  ): Promise<Referenced<T>>;
  readonly live: LiveReader;
}
