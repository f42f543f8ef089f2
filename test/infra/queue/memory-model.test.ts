import { createMemoryQueue } from "../../../infra/queue/memory.ts";
import { queueModelSuite } from "../../suites/queue-model.ts";
import { virtualClock } from "../../support/clock.ts";

queueModelSuite({
  name: "memory",
  time: "virtual",
  atOnce: 1,
  maxLength: 50,
  create: async (timing) => {
    const clock = virtualClock();
    const queue = createMemoryQueue({ clock, timing, random: () => 0 });
    const close = async (): Promise<void> => {
      const closed = queue[Symbol.asyncDispose]();
      await clock.advance(0);
      await closed;
    };
    return { queue, other: queue, clock, [Symbol.asyncDispose]: close };
  },
});
