import type { AnyDecision } from "../../function/define-function.ts";
import type { EvictionAnswer } from "../../function/evictions.ts";
import type { DeliveryAnswer } from "../../function/manifests.ts";
import type { Answers } from "./write-decision.ts";

/** The decision with the answers to its evictions or deliveries and what follows from them. */
export function settle(decision: AnyDecision, answers: Answers): AnyDecision {
  const { deliver, evict } = decision;
  const concluded =
    deliver === undefined
      ? evict?.answered?.(answers as readonly EvictionAnswer[])
      : deliver.answered?.(answers as readonly DeliveryAnswer[]);
  return { ...withAnswers(decision, answers), ...concluded };
}

/** The decision with the answers alone: what follows from them is not known. */
export function withAnswers(decision: AnyDecision, answers: Answers): AnyDecision {
  const { deliver, evict } = decision;
  if (deliver !== undefined)
    return { ...decision, deliver: { of: deliver.of, answers: answers as readonly DeliveryAnswer[] } };
  return { ...decision, evict: { pods: evict?.pods ?? [], answers: answers as readonly EvictionAnswer[] } };
}
