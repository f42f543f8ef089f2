import { createMemoryStore } from "../../../../infra/queue/store/memory.ts";
import { storeSuite } from "../../../suites/store.ts";

storeSuite({ name: "memory", create: async (kindOf) => createMemoryStore({ kindOf }) });
