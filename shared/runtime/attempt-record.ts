import type { Selection } from "../api/indexes.ts";
import type { ClusterName, ContractReference, Kind, KubeObject, ObjectKey } from "../api/kinds.ts";
import type { Referenced } from "../contract/referenced.ts";
import type { ManifestSummary } from "../function/manifests.ts";
import type { ListOptions } from "../function/reads.ts";
import type { SecretSummary } from "../function/secret-summary.ts";

/** A question of a step to its reader. */
export type ReadQuestion =
  | {
      readonly call: "get" | "live.get" | "live.secret" | "live.manifests";
      readonly cluster: ClusterName;
      readonly kind: Kind;
      readonly key: ObjectKey;
    }
  | {
      readonly call: "list" | "live.list";
      readonly cluster: ClusterName;
      readonly kind: Kind;
      readonly selection: Selection | ListOptions;
    }
  | {
      readonly call: "referenced" | "live.referenced";
      readonly reference: ContractReference;
      readonly namespace: string;
    };

export type RecordedAnswer =
  | { readonly type: "object"; readonly object: KubeObject | undefined }
  | { readonly type: "secret"; readonly summary: SecretSummary | undefined }
  | { readonly type: "manifests"; readonly summary: ManifestSummary | undefined }
  | { readonly type: "list"; readonly items: readonly KubeObject[] }
  | { readonly type: "referenced"; readonly value: Referenced }
  | { readonly type: "error"; readonly error: unknown }
  /** The step failed, or was cut off, before the answer came. */
  | { readonly type: "unanswered" };

/** One read of a run with the whole answer, by reference. */
export interface RecordedRead {
  readonly question: ReadQuestion;
  /** Where the answer came from: behind a fence, a snapshot is replaced by a live read. */
  readonly source: "snapshot" | "live";
  readonly answer: RecordedAnswer;
}

/** One write request of a run. */
export interface RecordedWrite {
  readonly verb: "create" | "patch" | "evict" | "apply" | "delete";
  readonly cluster: ClusterName;
  readonly kind: Kind;
  readonly key: ObjectKey;
  readonly subresource?: "status" | undefined;
  readonly fieldManager: string;
  readonly precondition?: object | undefined;
  readonly body?: unknown;
  readonly outcome: {
    readonly resourceVersion?: string | undefined;
    readonly error?: unknown;
    /** Version of the object in a read that followed the error; absent when it was not read, or has gone. */
    readonly foundVersion?: string | undefined;
  };
}

/** A failed run by reference, unredacted: serialised only for a dead letter, never logged. */
export interface AttemptRecord {
  readonly runId: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Handed to the step; absent when the run did not get that far. */
  readonly clock?: Date | undefined;
  readonly reads: readonly RecordedRead[];
  readonly writes: readonly RecordedWrite[];
  readonly decision?: object | undefined;
  /** Thrown error; absent when the step decided to fail. */
  readonly thrown?: unknown;
  /** The decision passed its check, so that what was thrown came from sending it. */
  readonly accepted: boolean;
}
