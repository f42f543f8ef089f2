import type { KubeObject } from "../kinds.ts";

/** Fields that every kind of workers has in common; read without validation, so any field may be missing. */
export interface Workers extends KubeObject {
  readonly spec?: { readonly clusterName?: string; readonly replicas?: number | undefined } | undefined;
  readonly status?:
    | {
        readonly replicas?: number | undefined;
        readonly readyReplicas?: number | undefined;
        readonly availableReplicas?: number | undefined;
        readonly upToDateReplicas?: number | undefined;
        readonly versions?:
          | readonly { readonly version: string; readonly replicas?: number | undefined }[]
          | undefined;
        readonly conditions?:
          | readonly {
              readonly type: string;
              readonly status: string;
              readonly reason: string;
              readonly message: string;
            }[]
          | undefined;
      }
    | undefined;
}
