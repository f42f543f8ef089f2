import { expect, it } from "vitest";
import { FREE } from "../../support/loads.ts";
import { redisMissing } from "../../support/processes/redis-server.ts";
import { describeWith } from "../../support/requires.ts";
import { keysOf, openScaledWorld, type ScaledWorld } from "../../support/scaled-world.ts";

/** Until the fallback of the ScaledObject has taken the place of three errors, and some more. */
const LOOKS = 6;
const { name } = FREE.spec;

/** A burst that has started workers. */
async function scaledOut(world: ScaledWorld, burst: string): Promise<readonly string[]> {
  const keys = keysOf("a", burst, 1_000);
  await world.enqueue(FREE, keys);
  await world.until(() => world.fleets.core.replicas > 1);
  return keys;
}

/** The replicas after each look that follows. */
async function replicasOf(world: ScaledWorld): Promise<readonly number[]> {
  const seen: number[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    const before = world.looks();
    await world.until(() => world.looks() > before);
    seen.push(world.fleets.core.replicas);
  }
  return seen;
}

describeWith(redisMissing())("workers under an autoscaler that gets no answer", () => {
  it("stay as many as they are while the relay or Redis is gone, and end afterwards without a lost run", async () => {
    await using world = await openScaledWorld();
    const { core } = world.fleets;
    const first = await scaledOut(world, "first");
    await world.endRelay();
    const some = core.replicas;
    expect(await replicasOf(world)).toEqual(Array.from({ length: LOOKS }, () => some));
    await world.startRelay();
    await world.until(() => core.ended.size === first.length && core.replicas === 1);

    const second = await scaledOut(world, "second");
    world.redis.signal("SIGSTOP");
    // The look before may have seen more to do.
    const [after = 0, ...stopped] = await replicasOf(world);
    world.redis.signal("SIGCONT");
    expect(stopped).toEqual(stopped.map(() => after));
    await world.until(() => core.ended.size === first.length + second.length && core.replicas === 1);
    expect(new Set(core.started.keys())).toEqual(new Set([...first, ...second]));
    expect(world.counted("expired")).toBe(0);
  });

  it("a paused function starts no worker, and its backlog does when it is resumed", async () => {
    await using world = await openScaledWorld();
    const { core } = world.fleets;
    await world.queue.pause(name);
    const keys = keysOf("a", "paused", 1_000);
    await world.enqueue(FREE, keys);
    expect(await replicasOf(world)).toEqual(Array.from({ length: LOOKS }, () => 1));
    await world.queue.resume(name);
    await world.until(() => core.ended.size === keys.length && world.most("core") > 1);
  });
});
