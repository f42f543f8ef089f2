import type { Defect } from "./defects.ts";
import { play } from "./play.ts";
import type { Schedule } from "./schedule.ts";

/** The same schedule without what it does not need to exceed the limit: one Node event after the other is left out. */
export async function shrunk(schedule: Schedule, defect?: Defect): Promise<Schedule> {
  let least = schedule;
  for (const flip of schedule.flips.toReversed()) {
    const smaller = { ...least, flips: least.flips.filter((one) => one !== flip) };
    const { violation } = await play(smaller, defect);
    if (violation !== undefined) least = smaller;
  }
  return least;
}
