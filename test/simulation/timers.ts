import type { Kernel } from "./kernel.ts";

/**
 * How many timers each role has, by its name without numbers (`relay`, `worker`, `apiserver`), because either of two relays may lead: the
 * fewest and the most of several looks, because a request that is on its way has timers of its own, and a watch that is
 * replaced has none for a moment.
 */
export type Timers = ReadonlyMap<string, { readonly fewest: number; readonly most: number }>;

/** What plays faults and users is not the product: `troubles`, `world`, `user`, `user-somebody`. */
const NOT_COUNTED = /^(?:troubles|world|user(?:-.*)?)$/;
const LOOKS = 20;
const BETWEEN_MS = 500;

/** Looks at the timers of a world at rest. Time passes meanwhile. */
export async function timersAtRest(kernel: Kernel): Promise<Timers> {
  const looks = [timersOf(kernel)];
  while (looks.length < LOOKS) {
    await kernel.run(BETWEEN_MS);
    looks.push(timersOf(kernel));
  }
  const roles = new Set(looks.flatMap((look) => [...look.keys()]));
  return new Map(
    [...roles].map((role) => {
      const counts = looks.map((look) => look.get(role) ?? 0);
      return [role, { fewest: Math.min(...counts), most: Math.max(...counts) }];
    }),
  );
}

/** Roles that have more timers than they should, one line each: such a number grows for as long as the process lives. */
export function leakedTimers(expected: Timers, found: Timers): readonly string[] {
  return [...found].flatMap(([role, { fewest }]) => {
    const { most } = expected.get(role) ?? { most: 0 };
    return fewest > most ? [`${role} has ${fewest} timers at rest instead of ${most}`] : [];
  });
}

function timersOf({ later }: Kernel): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { operation } of later) {
    const role = operation.process.name.replace(/(-\d+)?(\.\d+)?$/, "");
    if (operation.kind === "timer" && !NOT_COUNTED.test(role)) counts.set(role, (counts.get(role) ?? 0) + 1);
  }
  return counts;
}
