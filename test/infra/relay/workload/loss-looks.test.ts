import { describe, expect, it } from "vitest";
import { createLossLooks } from "../../../../infra/relay/workload/loss-looks.ts";
import { MINUTE, SECOND } from "../../../../shared/function/backoff.ts";
import { virtualClock } from "../../../support/clock.ts";

const LOOK_MS = 5 * SECOND;
const WHOLE = Promise.resolve(false);

/** Connections that are no longer young, and how often each was looked at. */
async function connections(count: number) {
  const clock = virtualClock();
  const looks = new Map<string, number>();
  const lost = new Set<string>();
  const followed = new Map<string, { startedAt: Date; connection: { relistLost(): Promise<boolean> } }>();
  const add = (name: string): void => {
    const relistLost = async (): Promise<boolean> => {
      looks.set(name, (looks.get(name) ?? 0) + 1);
      return lost.has(name);
    };
    followed.set(name, { startedAt: clock.now(), connection: { relistLost } });
  };
  for (let index = 0; index < count; index += 1) add(`c${index}`);
  await clock.advance(MINUTE);
  const look = createLossLooks(followed, clock);
  const sum = () => [...looks.values()].reduce((total, each) => total + each, 0);
  return { clock, followed, looks, lost, add, look, sum };
}

describe("looks for data that the store has lost", () => {
  it("are at all connections each time while they are few", async () => {
    const { look, looks, followed } = await connections(7);
    look(WHOLE);
    look(WHOLE);
    expect(looks.size).toBe(followed.size);
    expect(new Set(looks.values())).toEqual(new Set([2]));
  });

  it("are at 20 of many, in turn, and at each within 5 minutes", async () => {
    const { look, looks, sum } = await connections(500);
    look(WHOLE);
    expect(sum()).toBe(20);
    for (let more = 0; more < 24; more += 1) look(WHOLE);
    expect(looks.size).toBe(500);
    expect(sum()).toBe(500);
    const many = await connections(6_000);
    for (let at = 0; at < (5 * MINUTE) / LOOK_MS; at += 1) many.look(WHOLE);
    expect(many.looks.size).toBe(6_000);
  });

  it("are at all of them once one has lost something, or the store as a whole", async () => {
    const one = await connections(500);
    one.lost.add("c3");
    one.look(WHOLE);
    await one.clock.advance(0);
    expect(one.looks.size).toBe(500);
    expect(one.sum()).toBe(520);
    const whole = await connections(500);
    whole.look(Promise.resolve(true));
    await whole.clock.advance(0);
    expect(whole.looks.size).toBe(500);
  });

  it("are at a connection each time in its first minute, when another relay may still publish", async () => {
    const { look, looks, add, clock } = await connections(500);
    add("new");
    look(WHOLE);
    look(WHOLE);
    expect(looks.get("new")).toBe(2);
    await clock.advance(MINUTE);
    look(WHOLE);
    expect(looks.get("new")).toBe(2);
  });

  it("are at none while there is none", async () => {
    const { look, sum } = await connections(0);
    look(WHOLE);
    expect(sum()).toBe(0);
  });
});
