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
  const [first] = unserved;
  if (first?.late === undefined) return [];
  const { since, message } = first.late;
  const of = { about: "worker", object: first.function, since } as const;
  return [{ ...of, ...parted(message), severity: "broken", consequences: 0 }];
}
