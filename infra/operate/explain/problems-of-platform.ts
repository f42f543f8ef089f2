import type { Freshness } from "../../../shared/runtime/read/signs.ts";
import { type Problem, parted } from "./problem.ts";
import type { Unserved } from "./unserved.ts";

/** Returns what makes everything else old, and so stands before it. */
export function silenceProblems({ silences }: Pick<Freshness, "silences">): readonly Problem[] {
  return silences.map(({ message, since }) => ({
    about: "freshness",
    object: "relay",
    ...parted(message),
    ...(since === undefined ? {} : { since }),
    severity: "broken",
    consequences: 0,
  }));
}

/** Returns the functions whose keys wait for a worker as one problem, since one worker mends it. */
export function workerProblems(unserved: readonly Unserved[]): readonly Problem[] {
  return unserved.slice(0, 1).map(({ function: object, since, message }) => ({
    about: "worker",
    object,
    ...parted(message),
    since,
    severity: "broken",
    consequences: 0,
  }));
}
