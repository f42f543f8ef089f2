import type { KubeObject } from "../../api/kinds.ts";
import { Pod } from "../../api/workload.ts";
import { SECOND } from "../../function/backoff.ts";
import { KubeError } from "../../function/errors.ts";
import { type EvictionAnswer, NOT_REACHED, type PodEviction } from "../../function/evictions.ts";
import type { KubeClient } from "../ports.ts";
import type { EventContext } from "./send-events.ts";
import { sideBySide } from "./side-by-side.ts";

/** Reason of a KubeError: an eviction was not sent, or not answered, in time. */
export const EVICTION_TIMEOUT = "EvictionTimeout";

/** The time for all evictions of a run: a budget or a webhook may take its time for each. */
const ALL_WITHIN_MS = 10 * SECOND;

export interface SentEvictions {
  /** One for each Pod, in their order. */
  readonly answers: readonly EvictionAnswer[];
  /** Evictions sent. */
  readonly requests: number;
}

/**
 * Evicts Pods within ten seconds. A refusal is an answer, not a failure. Throws what ends the run itself: its lease is
 * lost, or the workload cluster is not connected.
 */
export async function sendEvictions(
  pods: readonly PodEviction[],
  { clients, clock, signal, function: fn }: Pick<EventContext, "clients" | "clock" | "signal" | "function">,
): Promise<SentEvictions> {
  const deadlineAt = clock.now().getTime() + ALL_WITHIN_MS;
  const answers: EvictionAnswer[] = pods.map(({ target }) => notReached(target));
  let requests = 0;
  const evict = async ({ target, gracePeriodSeconds }: PodEviction, withinMs: number) => {
    const client = clients.of(target.cluster, fn.spec.name);
    try {
      requests += 1;
      await client.evict(target, { uid: target.uid ?? "", gracePeriodSeconds, withinMs });
      return { type: "accepted", target } as const;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      return refusalOf(error, target, client);
    }
  };
  await sideBySide([...pods.entries()], async ([at, pod]) => {
    const withinMs = deadlineAt - clock.now().getTime();
    if (withinMs <= 0) return;
    signal.throwIfAborted();
    answers[at] = await evict(pod, withinMs);
  });
  return { answers, requests };
}

function notReached(target: PodEviction["target"]): EvictionAnswer {
  return { type: "refused", target, message: NOT_REACHED, causes: [] };
}

async function refusalOf(
  error: KubeError,
  target: PodEviction["target"],
  client: KubeClient,
): Promise<EvictionAnswer> {
  if (error.reason === EVICTION_TIMEOUT) return notReached(target);
  if (await isGone(error, target, client)) return { type: "gone", target };
  const subject = `evict Pod ${target.namespace}/${target.name}: `;
  const message = error.message.startsWith(subject) ? error.message.slice(subject.length) : error.message;
  return { type: "refused", target, message, causes: error.causes };
}

/** Whether nothing is left to evict. A read that fails proves nothing: the Pod counts as the one that was meant. */
async function isGone(error: KubeError, target: PodEviction["target"], client: KubeClient): Promise<boolean> {
  if (error.status === 404 && error.reason === "NotFound") return true;
  if (error.status !== 404 && error.status !== 409) return false;
  try {
    const found: KubeObject | undefined = await client.get(Pod, target);
    // A 404 without a Status, from a server that serves Pods: it serves no evictions, as Cluster API's in-memory workload
    // servers. A drain continues there, as upstream's does.
    // The uid may be another's by now. A conflict can mean something else, too: a race for the budget.
    return error.status === 404 || found?.metadata.uid !== target.uid;
  } catch (failure) {
    if (failure instanceof KubeError) return false;
    throw failure;
  }
}
