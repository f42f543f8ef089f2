import { describe, expect, it } from "vitest";
import { playAgain, SEED } from "../../support/seed.ts";
import { DEFECTS, type Defect } from "./schedule/defects.ts";
import { type Played, play } from "./schedule/play.ts";
import { plainScheduleOf, scheduleOf } from "./schedule/schedule.ts";
import { shrunk } from "./schedule/shrink.ts";

/** `CAPSTAN_SCHEDULES=10000` plays more; each takes about 30 ms of a core. */
const SCHEDULES = Number(process.env["CAPSTAN_SCHEDULES"] ?? 420);
/** A test that hangs, not one on a slow machine. */
const TIMEOUT_MS = 10 * 60_000 + SCHEDULES * 1_000;
/** Of one play of this test; the seeds of its schedules follow one another. */
const FIRST = SEED % 1_000_000;
/** Defects are looked for in the same plain schedules each time: the rarest is found in the 137th of them. */
const FIRST_WITH_DEFECT = 301;
const WITH_DEFECT = 500;

/** Of all schedules from a seed on; ends at the first that exceeds its limit. */
async function playAll(from: number, schedules: number, defect?: Defect) {
  const all: Played[] = [];
  for (let seed = from; seed < from + schedules; seed += 1) {
    const played = await play(defect === undefined ? scheduleOf(seed) : plainScheduleOf(seed), defect);
    all.push(played);
    if (played.violation !== undefined) return { all, seed, violation: played.violation };
  }
  return { all, seed: undefined, violation: undefined };
}

async function described(seed: number, violation: string): Promise<string> {
  const least = await shrunk(scheduleOf(seed));
  const { violation: after } = await play(least);
  return `schedule ${seed}: ${violation}; shrunk: ${after}\n${JSON.stringify(least)}\n\n${playAgain(SEED)}`;
}

describe("the limit of a health check in random schedules", () => {
  it("is never exceeded by what is in flight, and is often reached", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const startedAtMs = performance.now();
    const { all, seed, violation } = await playAll(FIRST, SCHEDULES);
    if (seed !== undefined) expect.fail(await described(seed, violation));
    expect(all.flatMap(({ errors }) => errors)).toEqual([]);
    const reached = all.filter(({ isLimitReached }) => isLimitReached).length;
    const handedOver = all.reduce((sum, one) => sum + one.handedOver, 0);
    process.stderr.write(
      `limit schedules: ${all.length} in ${Math.round((performance.now() - startedAtMs) / 1_000)} s, ${handedOver} Machines in flight, limit reached in ${reached}, seed ${SEED}\n`,
    );
    expect(reached).toBeGreaterThan(SCHEDULES / 10);
    expect(handedOver).toBeGreaterThan(SCHEDULES / 2);
  });

  it.each(DEFECTS)("is exceeded by $name", async (defect) => {
    expect(await playAll(FIRST_WITH_DEFECT, WITH_DEFECT, defect)).toMatchObject({
      violation: expect.stringMatching(/in flight/),
    });
  });

  it("is played the same from the same seed", async () => {
    expect(await play(scheduleOf(7))).toEqual(await play(scheduleOf(7)));
  });
});
