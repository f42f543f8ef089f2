import { SECOND } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { ReadHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { withoutLiveReads } from "../../operate/explain/explain-step.ts";
import { explainTree } from "../../operate/explain/explain-tree.ts";
import { rolloutFactsIn } from "../../operate/explain/rollout-facts.ts";
import type { ReadUnserved } from "../../operate/explain/unserved.ts";
import { rolloutReport } from "../../operate/rollout/rollout-report.ts";
import { rolloutText } from "../../operate/rollout/rollout-text.ts";
import { cachedAnswers } from "../../platform/cached-answers.ts";
import { stillDead } from "../../queue/letters/known-deaths.ts";
import type { Explain, ExplainedObject, ReadHeads } from "../ports.ts";

export interface ExplainSourceOptions {
  readonly store: Store;
  readonly functions: readonly AnyFunction[];
  readonly history: ReadHistory;
  readonly heads: ReadHeads;
  readonly clock: Clock;
  readonly unserved?: ReadUnserved | undefined;
}

/**
 * Less than the second in which a page asks again after a change: an answer from before the change would stay for two
 * more seconds, and a change must be seen within two.
 */
const EXPLAINED_MS = 0.8 * SECOND;
/** However large an object is and however many persons look at it. */
const MAX_SHARE = 1 / 10;
const MAX_KEPT = 500;

/**
 * Explains from snapshots, and each object once in 0.8 s for all viewers, or in 10 times what it takes. No live read, no
 * write.
 * Differs: 2 s there, which is too late for a change within them.
 */
export function createExplain({ heads, clock, ...sources }: ExplainSourceOptions): Explain {
  const model = { store: sources.store, clients: withoutLiveReads() };
  const kept = cachedAnswers<ExplainedObject | undefined>({
    cachedMs: EXPLAINED_MS,
    share: MAX_SHARE,
    most: MAX_KEPT,
    clock,
  });
  return (kind, key) =>
    kept(`${kind.group}/${kind.kind} ${key.namespace}/${key.name}`, async () => {
      const object = await sources.store.get(managementType(kind), key);
      if (object === undefined) return undefined;
      // A letter stays when its key lives again.
      const deadLetters = stillDead(await heads());
      const explained = await explainTree({ ...sources, model, clock, deadLetters }, { kind, object });
      const { causes, health: _, asOf: __, ...tree } = explained;
      const facts = await rolloutFactsIn(sources.store, { kind, object }, clock.now());
      const rolled = facts === undefined ? {} : { rollout: rolloutText(rolloutReport(facts)) };
      // JSON writes the instants of its states as RFC 3339.
      return { object, tree: tree as unknown as ExplainedObject["tree"], causes, ...rolled };
    });
}
