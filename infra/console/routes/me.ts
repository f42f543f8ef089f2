import { meSchema } from "../api/me.ts";
import type { Right, Sight, Viewer } from "../viewer.ts";
import { defineRoute } from "./route.ts";

export const me = defineRoute(
  {
    method: "GET",
    path: "/me",
    summary: "Returns the viewer and the parts that the viewer can use.",
    needs: [],
    answer: meSchema,
  },
  async ({ viewer, routes }, { functions, version, dashboardsUrl }) => {
    const [requeue, drop, tries, pause] = await Promise.all([
      reachOf(viewer, "requeue"),
      reachOf(viewer, "drop"),
      reachOf(viewer, "try"),
      viewer.may("pause", undefined),
    ]);
    return {
      user: viewer.name,
      by: viewer.by,
      until: viewer.until?.toISOString(),
      sees: listed(viewer.sight),
      may: { requeue, drop, pause, try: tries },
      dashboardsUrl,
      version,
      routes,
      functions: functions.map(({ spec: { name, summary, reconciles } }) => ({
        name,
        summary,
        kind: reconciles.kind,
      })),
    };
  },
);

/** Namespaces of an action, among those that the viewer sees. */
async function reachOf(viewer: Viewer, right: Right): Promise<"all" | readonly string[]> {
  if (await viewer.may(right, undefined)) return listed(viewer.sight);
  if (viewer.sight === "all") return [];
  const namespaces = [...viewer.sight];
  const allowed = await Promise.all(namespaces.map((namespace) => viewer.may(right, namespace)));
  return namespaces.filter((_, at) => allowed[at] === true);
}

function listed(sight: Sight): "all" | readonly string[] {
  return sight === "all" ? "all" : [...sight];
}
