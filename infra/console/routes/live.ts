import type { Event } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { maskText } from "../../../shared/redaction/redact.ts";
import { type Live, liveSchema, MAX_EVENTS, MAX_MANAGERS, MAX_MANIFEST_CHARS } from "../api/object.ts";
import { problem } from "../problem.ts";
import { timeOf } from "../sources/live-source.ts";
import type { Viewer } from "../viewer.ts";
import { kindNamed, requireNamespace, unknownObject } from "./require.ts";
import { defineRoute } from "./route.ts";

export const live = defineRoute(
  {
    method: "GET",
    path: "/objects/{kind}/{namespace}/{name}/live",
    summary:
      "Returns an object with its last Events and who wrote each field: read from the API server with the rights of the viewer.",
    needs: ["live"],
    isOnce: true,
    answer: liveSchema,
  },
  async ({ viewer, params, ports }, { functions }) => {
    const { namespace = "", name = "" } = params;
    const kind = kindNamed(functions, params["kind"]);
    requireNamespace(viewer, namespace);
    const found = await ports
      .live(kind, { namespace, name }, viewer.token)
      .catch((error: unknown) => refuseRead(error, viewer, kind));
    if (found === undefined) throw unknownObject(kind, namespace);
    const { managers, manifest, events, eventsMissing } = found;
    return {
      manifest: JSON.stringify(manifest, undefined, 2).slice(0, MAX_MANIFEST_CHARS),
      events: events.slice(0, MAX_EVENTS).map(eventOf),
      ...(eventsMissing === undefined ? {} : { eventsMissing: maskText(eventsMissing) }),
      managers: managers.slice(0, MAX_MANAGERS),
      more: Math.max(0, managers.length - MAX_MANAGERS),
    };
  },
);

function eventOf(event: Event): Live["events"][number] {
  const { type, reason, message, count = 1, reportingComponent, source } = event;
  const from = reportingComponent || source?.component || "";
  return { type, reason, message: maskText(message), times: count, from, at: timeOf(event) };
}

function refuseRead(error: unknown, { name }: Viewer, { plural, group }: Kind): never {
  if (!(error instanceof KubeError) || (error.status !== 401 && error.status !== 403)) throw error;
  if (error.status === 401) {
    throw problem(
      "unauthorized",
      "the API server does not accept the token",
      "log in with a token that is valid",
    );
  }
  const next = `bind a role with the verb get on ${plural}.${group} in that namespace`;
  throw problem("forbidden", `${name} may not get this object from the API server`, next);
}
