import { createMemoryStore } from "../../../../../infra/queue/backends/embedded/store.ts";
import { storeSuite } from "../../../../suites/store.ts";

storeSuite({ name: "memory", create: async (kindOf) => createMemoryStore({ kindOf }) });
