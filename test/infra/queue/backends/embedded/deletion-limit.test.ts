import { createMemoryDeletionLimit } from "../../../../../infra/queue/backends/embedded/deletion-limit.ts";
import { deletionLimitSuite } from "../../../../suites/deletion-limit.ts";

deletionLimitSuite({
  name: "in memory",
  create: async (perHour, clock) => {
    const limit = createMemoryDeletionLimit(perHour, clock);
    return [limit, limit];
  },
});
