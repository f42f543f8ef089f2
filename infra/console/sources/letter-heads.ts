import { SECOND } from "../../../shared/function/backoff.ts";
import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import { cachedFor } from "../../platform/cached-answers.ts";
import { createTimeSlices } from "../../platform/kube/list-bounds.ts";
import { allHeads } from "../../queue/letters/all-heads.ts";
import { knownDeaths } from "../../queue/letters/known-deaths.ts";
import { groupIdOf } from "../../queue/letters/letter-groups.ts";
import type { ReadHeads } from "../ports.ts";

/** The time for which an answer may lack a letter or a death. */
export const HEADS_KEPT_MS = 5 * SECOND;
const MAX_LETTERS = 20_000;

interface HeadSources {
  readonly letters: Pick<DeadLetters, "page">;
  readonly queue: QueueReader;
  readonly clock: Clock;
}

/** Reads the heads of up to 20,000 letters, and which of their keys are still dead, once in 5 s for all viewers. */
export function createHeads({ letters, queue, clock }: HeadSources): ReadHeads {
  return cachedFor(HEADS_KEPT_MS, clock, async () => {
    const heads = await knownDeaths(await allHeads(letters, { most: MAX_LETTERS }), queue);
    const turn = createTimeSlices(clock);
    // The group of each is worked out here, where it holds up nothing else.
    for (const head of heads) {
      groupIdOf(head);
      await turn();
    }
    return heads;
  });
}
