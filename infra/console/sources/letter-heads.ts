import { SECOND } from "../../../shared/function/backoff.ts";
import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { allHeads } from "../../dead-letters/all-heads.ts";
import { groupIdOf } from "../../dead-letters/letter-groups.ts";
import { keptFor } from "../../kept-for.ts";
import { createTimeSlices } from "../../kube/time-slices.ts";
import type { ReadHeads } from "../ports.ts";

const LETTERS_MS = 5 * SECOND;
const MAX_LETTERS = 20_000;

/** Reads the heads of up to 20,000 letters, once in 5 s for all viewers. */
export function createHeads(letters: Pick<DeadLetters, "page">, clock: Clock): ReadHeads {
  return keptFor(LETTERS_MS, clock, async () => {
    const heads = await allHeads(letters, { most: MAX_LETTERS });
    const turn = createTimeSlices(clock);
    // The group of each is worked out here, where it holds up nothing else.
    for (const head of heads) {
      groupIdOf(head);
      await turn();
    }
    return heads;
  });
}
