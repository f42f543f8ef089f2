import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { CAPPED, FREE } from "../../support/loads.ts";
import { redisMissing } from "../../support/processes/redis-server.ts";
import { describeWith } from "../../support/requires.ts";
import { keysOf, openScaledWorld } from "../../support/scaled-world.ts";

const BURST = keysOf("a", "burst", 800);
const OF_CAPPED = keysOf("capped", "w", 200);

describeWith(redisMissing())("workers under an autoscaler", () => {
  it("a burst starts workers, its tail ends them without a lost run, and a capped tenant starts none", async () => {
    await using world = await openScaledWorld();
    const { fleets } = world;
    await world.enqueue(CAPPED, OF_CAPPED);
    await world.enqueue(FREE, BURST);
    await world.until(() => fleets.core.ended.size === BURST.length && world.most("core") > 1);
    // Workers stop while they run keys.
    const tail = await world.trickleUntil(() => fleets.core.replicas === 1);
    await world.until(() => fleets.core.ended.size === BURST.length + tail.length);
    await world.until(() => fleets.workload.ended.size === OF_CAPPED.length);
    expect(world.most("workload")).toBe(1);
    expect(fleets.core.started).toEqual(new Map([...BURST, ...tail].map((key) => [key, 1])));
    expect(fleets.core.exitCodes.every((code) => code === 0)).toBe(true);
    expect([world.counted("expired"), world.counted("fenced")]).toEqual([0, 0]);
    // A worker reports the end of a run a moment after its step has ended.
    await eventually(
      async () =>
        expect(await world.queue.depth(FREE.spec.name)).toMatchObject({
          ready: 0,
          waiting: 0,
          running: 0,
          dead: 0,
        }),
      { withinMs: 10_000 },
    );
  });

  it("a key starts the first worker of a group that rests at none, and its last one ends", async () => {
    await using world = await openScaledWorld(0);
    const { core, workload } = world.fleets;
    await world.until(() => world.looks() > 3);
    expect([core.replicas, workload.replicas]).toEqual([0, 0]);
    await world.enqueue(FREE, keysOf("a", "first", 1));
    await world.until(() => core.ended.size === 1);
    await world.until(() => core.replicas === 0);
    await world.enqueue(FREE, keysOf("a", "second", 1));
    await world.until(() => core.ended.size === 2);
    expect(workload.started.size).toBe(0);
    expect(core.exitCodes).toEqual([0]);
  });
});
