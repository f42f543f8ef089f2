import { createMemoryRunHistory } from "../../../../../infra/queue/backends/embedded/history.ts";
import { runHistorySuite } from "../../../../suites/run-history.ts";
import { virtualClock } from "../../../../support/clock.ts";

runHistorySuite({
  name: "in memory",
  create: async (maxBytes) => {
    const clock = virtualClock();
    const history = createMemoryRunHistory({ clock, maxBytes });
    return {
      history,
      clock,
      read: (...which) => history.runs(...which),
      [Symbol.asyncDispose]: () => history[Symbol.asyncDispose](),
    };
  },
});
