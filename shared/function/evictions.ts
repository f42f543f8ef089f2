import type { ObjectRef } from "../api/kinds.ts";

/** A Pod to evict. Its uid becomes a precondition: a successor of that name stays. */
export interface PodEviction {
  readonly target: ObjectRef;
  /** The grace period; default: that of the Pod. */
  readonly gracePeriodSeconds?: number | undefined;
}

/** Answer of the API server to one eviction. */
export type EvictionAnswer = { readonly target: ObjectRef } & (
  | { readonly type: "accepted" }
  /** The Pod of that uid is gone. */
  | { readonly type: "gone" }
  | {
      readonly type: "refused";
      /** The server's words, or `NOT_REACHED`; at most 1,024 characters. */
      readonly message: string;
      readonly causes: readonly { readonly reason?: string; readonly message?: string }[];
    }
);

/** Message of an eviction that was not sent, or not answered, within the ten seconds of one run. */
export const NOT_REACHED = "eviction timeout of 10s reached, eviction will be retried";
