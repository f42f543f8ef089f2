import { fleetQuerySchema, fleetSchema } from "../api/fleet.ts";
import { refuseCursor } from "./full-page.ts";
import { defineRoute } from "./route.ts";

export const fleet = defineRoute(
  {
    method: "GET",
    path: "/fleet",
    summary: "Returns the Clusters that the viewer may see, worst first, and how many are in each state.",
    needs: ["fleet"],
    query: fleetQuerySchema,
    answer: fleetSchema,
  },
  async ({ viewer, query: { state, limit, next, ...filter }, ports }) => {
    const states = state === undefined ? undefined : [state];
    const selection = { ...filter, sight: viewer.sight, states, limit, after: next };
    return await Promise.resolve(selection).then(ports.fleet.page).catch(refuseCursor);
  },
  () => ({ fleet: true }),
);
