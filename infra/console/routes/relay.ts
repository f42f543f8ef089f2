import { SECOND } from "../../../shared/function/backoff.ts";
import { relaySchema } from "../api/relay.ts";
import { sees } from "../viewer.ts";
import { defineRoute } from "./route.ts";

export const relay = defineRoute(
  {
    method: "GET",
    path: "/relay",
    summary: "Returns the processes, their watches, and the connections to workload clusters.",
    needs: ["relay"],
    answer: relaySchema,
  },
  async ({ viewer, ports }) => {
    const { connections, connected, ...all } = await ports.relay();
    const seen = connections.filter(({ namespace }) => sees(viewer, namespace));
    return { ...all, connections: seen, connected: viewer.sight === "all" ? connected : undefined };
  },
  () => ({ everyMs: BEAT_MS }),
);

/** Processes give a sign of life so often. */
const BEAT_MS = 10 * SECOND;
