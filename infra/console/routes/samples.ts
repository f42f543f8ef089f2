import { ALL_FUNCTIONS, SAMPLE_EVERY_MS } from "../../../shared/runtime/queue/samples.ts";
import { seriesOf } from "../../queue/samples/series.ts";
import { samplesSchema } from "../api/queue.ts";
import { functionNamed } from "./named.ts";
import { requireAll } from "./require.ts";
import { defineRoute } from "./route.ts";

export const samples = defineRoute(
  {
    method: "GET",
    path: "/queue/{function}/samples",
    summary:
      "Returns the last hour of a function, or of `all` together, a row per 10 s; for those who see all namespaces.",
    needs: ["samples"],
    answer: samplesSchema,
  },
  async ({ viewer, params, ports }, { functions, clock }) => {
    const asked = params["function"];
    const name = asked === ALL_FUNCTIONS ? asked : functionNamed(functions, asked).spec.name;
    requireAll(viewer);
    const series = seriesOf(await ports.samples(name), clock.now().getTime());
    return { function: name, ...series, from: new Date(series.from).toISOString() };
  },
  () => ({ everyMs: SAMPLE_EVERY_MS }),
);
