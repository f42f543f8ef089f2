import { describe, expect, it } from "vitest";
import { keepConnections } from "../../../infra/worker/lambda-connections.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { virtualClock } from "../../support/clock.ts";

function start(connect?: () => Promise<never>) {
  const clock = virtualClock();
  const events: string[] = [];
  let count = 0;
  const open = async () => {
    count += 1;
    const name = `connection ${count}`;
    events.push(`open ${name}`);
    return {
      name,
      [Symbol.asyncDispose]: async () => {
        events.push(`close ${name}`);
      },
    };
  };
  const kept = keepConnections(connect ?? open, clock);
  /** The connections that serve one event. */
  const use = async (): Promise<string> => {
    using use = kept.begin();
    return (await use.connected()).name;
  };
  return { clock, events, kept, use };
}

describe("connections of a process that is frozen between events", () => {
  it("are opened by the first event, and closed at the end", async () => {
    const { clock, events, kept, use } = start();
    expect(events).toEqual([]);
    for (let event = 0; event < 3; event += 1) {
      expect(await use()).toBe("connection 1");
      clock.standStill(29 * SECOND);
    }
    await kept[Symbol.asyncDispose]();
    expect(events).toEqual(["open connection 1", "close connection 1"]);
  });

  it("are replaced after a freeze of more than 30 s, also when the clock went back", async () => {
    const { clock, events, use } = start();
    await use();
    clock.standStill(31 * SECOND);
    expect(await use()).toBe("connection 2");
    expect(events).toContain("close connection 1");
    const before = clock.now;
    clock.now = () => new Date(before().getTime() - 3_600 * SECOND);
    expect(await use()).toBe("connection 3");
  });

  it("stay while an event uses them", async () => {
    const { clock, events, kept, use } = start();
    using long = kept.begin();
    await long.connected();
    clock.standStill(600 * SECOND);
    expect(await use()).toBe("connection 1");
    expect(events).toEqual(["open connection 1"]);
  });

  it("are replaced once when they fail, unless the event itself has opened them", async () => {
    const { events, kept, use } = start();
    await use();
    using event = kept.begin();
    const first = await event.connected();
    const [second, same] = await Promise.all([event.instead(first), event.instead(first)]);
    expect([second?.name, same?.name]).toEqual(["connection 2", "connection 2"]);
    if (second !== undefined) expect(await event.instead(second)).toBeUndefined();
    expect(await use()).toBe("connection 2");
    expect(events).toEqual(["open connection 1", "open connection 2", "close connection 1"]);
  });

  it("are opened again by the next event when that failed", async () => {
    let tries = 0;
    const { kept } = start(async () => {
      tries += 1;
      throw new Error("away");
    });
    for (const expected of [1, 2]) {
      using use = kept.begin();
      await expect(use.connected()).rejects.toThrow("away");
      await expect(use.connected()).rejects.toThrow("away");
      expect(tries).toBe(expected);
    }
    await kept[Symbol.asyncDispose]();
  });
});
