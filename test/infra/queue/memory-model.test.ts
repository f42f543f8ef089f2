import { createMemoryQueue } from "../../../infra/queue/backends/embedded/queue.ts";
import { queueModelSuite } from "../../suites/queue-model.ts";
import { virtualClock } from "../../support/clock.ts";
import { NO_JITTER } from "./naive-ledger.ts";

queueModelSuite({
  name: "memory",
  time: "virtual",
  unordered: true,
  atOnce: 1,
  maxLength: 50,
  create: async (timing) => {
    const clock = virtualClock();
    const queue = await createMemoryQueue({ clock, timing, limits: NO_JITTER });
    const close = async (): Promise<void> => {
      const closed = queue[Symbol.asyncDispose]();
      await clock.advance(0);
      await closed;
    };
    return { queue, other: queue, clock, [Symbol.asyncDispose]: close };
  },
});
