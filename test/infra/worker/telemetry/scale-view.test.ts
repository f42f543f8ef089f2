import { describe, expect, it } from "vitest";
import { viewQueue } from "../../../../infra/worker/telemetry/scale-view.ts";
import type { Queue } from "../../../../shared/runtime/queue/queue-port.ts";
import { virtualClock } from "../../../support/clock.ts";

const EMPTY = { ready: 0, waiting: 0, running: 0, dead: 0 };

describe("a look at the queue", () => {
  it("ends after two seconds for a queue that does not answer, and says so", async () => {
    const clock = virtualClock();
    const queue: Pick<Queue, "depth"> = {
      depth: (name) => (name === "a" ? Promise.resolve(EMPTY) : new Promise(() => undefined)),
    };
    const looking = viewQueue(queue as Queue, ["a", "b"], clock).depths();
    await clock.advance(2_000);
    expect(await looking).toEqual([
      { functionName: "a", depth: EMPTY, error: undefined },
      { functionName: "b", depth: undefined, error: "no answer within 2 s" },
    ]);
    expect(clock.pending).toBe(0);
  });
});
