import { MINUTE } from "../../../shared/function/backoff.ts";
import { SAMPLE_EVERY_MS } from "../../../shared/runtime/queue/samples.ts";
import { recentDurations } from "../../queue/samples/recent-durations.ts";
import { durationsSchema } from "../api/queue.ts";
import { requireAll } from "./require.ts";
import { defineRoute } from "./route.ts";

/** A minute lies between the first row and the last. */
const LOOKED_AT_MS = MINUTE + SAMPLE_EVERY_MS;

export const durations = defineRoute(
  {
    method: "GET",
    path: "/durations",
    summary:
      "Returns how long the runs of each function took in the last minute; for those who see all namespaces.",
    needs: ["samples"],
    answer: durationsSchema,
  },
  async ({ viewer, ports }, { functions }) => {
    requireAll(viewer);
    const items = functions.map(async ({ spec: { name } }) => ({
      function: name,
      ...recentDurations(await ports.samples(name, LOOKED_AT_MS)),
    }));
    return { items: await Promise.all(items) };
  },
  () => ({ everyMs: SAMPLE_EVERY_MS }),
);
