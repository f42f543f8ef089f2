import type { Kernel, Process } from "./kernel.ts";

/**
 * How many timers each role has, by its name without numbers (`relay`, `worker`, `apiserver`), because either of two
 * relays may lead: the fewest and the most of several looks, because a request that is on its way has timers of its
 * own, and a watch that is replaced has none for a moment. The tick of a queue is not counted: a process opens the
 * queue of a function when it first has a key for it, which a fault may bring about.
 */
export type Timers = ReadonlyMap<string, { readonly fewest: number; readonly most: number }>;

/** Processes that play faults and users, not the product: `troubles`, `world`, `user`, `user-somebody`. */
const NOT_COUNTED = /^(?:troubles|world|user(?:-.*)?)$/;
const LOOKS = 20;
const BETWEEN_MS = 500;

type TicksOf = (process: Process) => number;

/** Looks at the timers of a world at rest; `ticksOf` a process are not counted. Time passes meanwhile. */
export async function timersAtRest(kernel: Kernel, ticksOf: TicksOf): Promise<Timers> {
  const looks = [timersOf(kernel, ticksOf)];
  while (looks.length < LOOKS) {
    await kernel.run(BETWEEN_MS);
    looks.push(timersOf(kernel, ticksOf));
  }
  const roles = new Set(looks.flatMap((look) => [...look.keys()]));
  return new Map(
    [...roles].map((role) => {
      const counts = looks.map((look) => look.get(role) ?? 0);
      return [role, { fewest: Math.min(...counts), most: Math.max(...counts) }];
    }),
  );
}

/**
 * Roles that have more timers than they should, one line each: such a number grows for as long as the process lives.
 */
export function leakedTimers(expected: Timers, found: Timers): readonly string[] {
  return [...found].flatMap(([role, { fewest }]) => {
    const { most } = expected.get(role) ?? { most: 0 };
    return fewest > most ? [`${role} has ${fewest} timers at rest instead of ${most}`] : [];
  });
}

function timersOf({ later }: Kernel, ticksOf: TicksOf): ReadonlyMap<string, number> {
  const timers = later.filter(({ operation }) => operation.kind === "timer");
  const counts = new Map<string, number>();
  const count = ({ name }: Process, change: number) => {
    const role = name.replace(/(-\d+)?(\.\d+)?$/, "");
    if (!NOT_COUNTED.test(role)) counts.set(role, (counts.get(role) ?? 0) + change);
  };
  for (const { operation } of timers) count(operation.process, 1);
  for (const process of new Set(timers.map(({ operation }) => operation.process)))
    count(process, -ticksOf(process));
  return counts;
}
