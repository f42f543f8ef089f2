import type { ContractVersion } from "../../../api/kinds.ts";
import type { ContractKindName } from "./contract-kinds.ts";

/** A node of an OpenAPI v3 schema in a CRD. Foreign: any member may have any type. */
export interface SchemaNode {
  readonly [member: string]: unknown;
}

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: SchemaNode | undefined;
  readonly subresources: {
    readonly status: boolean;
    readonly scale:
      | {
          readonly specReplicasPath?: string | undefined;
          readonly statusReplicasPath?: string | undefined;
          readonly labelSelectorPath?: string | undefined;
        }
      | undefined;
  };
}

/** A CustomResourceDefinition that an API server would accept, reduced to what rules read. */
export interface Crd {
  readonly metadata: {
    readonly name: string;
    readonly labels: { readonly [key: string]: string };
    readonly annotations: { readonly [key: string]: string };
  };
  readonly group: string;
  readonly scope: string;
  readonly names: {
    readonly kind: string;
    readonly plural: string;
    /** The kind of its lists; absent where it is `<kind>List`. */
    readonly listKind: string | undefined;
  };
  readonly versions: readonly CrdVersion[];
}

/** Rules of ClusterRoles with the label `cluster.x-k8s.io/aggregate-to-manager: "true"`. */
export type AggregatedRights = readonly {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}[];

/** Content of the release of a CRD that its rules need (A2). */
export interface ReleaseAround {
  /** Every CRD of the release. */
  readonly crds: readonly Crd[];
  readonly aggregated: AggregatedRights;
  /** `contract` of the series of this version in `metadata.yaml`; undefined: it has no such series. */
  readonly seriesContract: string | undefined;
}

/** A CRD under one contract version. */
export interface CrdSubject {
  readonly crd: Crd;
  /** The contract's kind; undefined: a kind of no contract. */
  readonly contractKind: ContractKindName | undefined;
  readonly isTemplate: boolean;
  /** The contract version of this pass. */
  readonly contract: ContractVersion;
  /** This pass is the one of the newest claimed contract. */
  readonly isEffective: boolean;
  /** The CRD has no contract label. */
  readonly isAssumed: boolean;
  /** The version core reads under this contract; `version` is undefined where the CRD lacks it. */
  readonly picked: { readonly name: string; readonly version: CrdVersion | undefined };
  /** The release around it; absent where it is judged without a release. */
  readonly release: ReleaseAround | undefined;
  /** Rights in the ClusterRoles of the same file or folder, where that is not a release. */
  readonly aggregated?: AggregatedRights | undefined;
}
