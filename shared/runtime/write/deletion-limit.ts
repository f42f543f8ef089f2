import { Cluster } from "../../api/cluster/cluster.ts";
import { clusterNameOf } from "../../api/indexes.ts";
import { type ClusterName, type KubeObject, workloadCluster } from "../../api/kinds.ts";
import { MINUTE } from "../../function/backoff.ts";
import { type AnyFunction, isContractKind, type Notice } from "../../function/define-function.ts";
import { covers } from "../decide/check-decision.ts";
import type { Store } from "../ports.ts";
import { managementType } from "../read/management-type.ts";
import type { FailedWrite } from "./failed-write.ts";

/**
 * How many Nodes of one Cluster and how many of its Machines may be deleted within an hour, and how many requests for
 * remediation may be made, by all workers together (S-33). Differs: the creation of a request counts and not its
 * deletion, since remediation begins with the one and ends with the other.
 */
export interface DeletionLimit {
  /** The deletions of each kind in each Cluster; 0 = none. */
  readonly perHour: number;
  /**
   * Counts a write that is about to be sent, once within an hour however often it is asked for. Returns false when there
   * were too many already. Atomic: workers that ask at the same moment get no more than the limit together. Throws when
   * the count is not known: nothing is sent then.
   */
  admit(write: LimitedWrite): Promise<boolean>;
  /** Called for each write that is held back, with its function. */
  readonly noteHeldBack?: ((functionName: string) => void) | undefined;
}

export interface LimitedWrite {
  /** The Cluster of the workload server. */
  readonly cluster: ClusterName;
  /** `Node`, `Machine` or `RemediationRequest`. */
  readonly kind: string;
  /** The id of the object, unique among those of its kind: uid, or `namespace/name` of one that is made. */
  readonly id: string;
}

/** Older writes no longer count. */
export const LIMIT_WINDOW_MS = 60 * MINUTE;
/** A key whose write was held back comes again after this. */
export const HELD_BACK_MS = MINUTE;

/** A write was not sent, because its Cluster has reached its limit. */
export class HeldBackError extends Error {
  readonly notice: Notice;
  constructor(notice: Notice) {
    super(notice.message);
    this.name = "HeldBackError";
    this.notice = notice;
  }
}

export interface LimitContext {
  readonly function: AnyFunction;
  /** The reconciled object. */
  readonly object: KubeObject;
  /** Asked for the Cluster. */
  readonly store?: Pick<Store, "get">;
  /** The limit; absent where there is none. */
  readonly limit?: DeletionLimit | undefined;
}

/**
 * Throws HeldBackError for a write that its function declares as limited, when its Cluster has reached the limit. A
 * Cluster that is being deleted itself has none: all of it is to go.
 */
export async function requireRoom(
  { ref, verb }: Pick<FailedWrite, "ref" | "verb">,
  { function: fn, object, store }: LimitContext,
  limit: DeletionLimit,
): Promise<void> {
  const { reconciles, calls = [] } = fn.spec;
  const call = calls.find((one) => one.limited === true && one.verb === verb && covers(one.kind, ref.kind));
  const name = clusterNameOf(reconciles, object);
  if (call === undefined || name === undefined) return;
  const key = { namespace: object.metadata.namespace ?? "", name };
  const kind = isContractKind(call.kind) ? call.kind.contract : call.kind.kind;
  const id = ref.uid ?? `${ref.namespace}/${ref.name}`;
  if (await limit.admit({ cluster: workloadCluster(key), kind, id })) return;
  const cluster = await store?.get(managementType(Cluster), key);
  if (cluster?.metadata.deletionTimestamp !== undefined) return;
  limit.noteHeldBack?.(fn.spec.name);
  // The same words for all of them: one Event.
  const message = `${kind} in Cluster ${name}: ${limit.perHour} were ${verb}d within an hour, the most that --max-deletions-per-hour allows; look for the cause, or raise the limit`;
  const about = cluster === undefined ? {} : { about: cluster };
  throw new HeldBackError({ type: "Warning", reason: "DeletionsHeldBack", message, ...about });
}
