import { createMemoryQueue } from "../../../../../infra/queue/backends/embedded/queue.ts";
import { queueSuite } from "../../../../suites/queue.ts";
import { virtualClock } from "../../../../support/clock.ts";

queueSuite({
  name: "memory",
  concurrent: false,
  create: async (own) => {
    const clock = virtualClock();
    const queue = await createMemoryQueue({ clock, ...own });
    return { queue, other: queue, clock, [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose]() };
  },
});
