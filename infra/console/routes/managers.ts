import type { Kind } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { MAX_MANAGERS, managersSchema } from "../api/object.ts";
import { problem } from "../problem.ts";
import type { Viewer } from "../viewer.ts";
import { demandNamespace } from "./demand.ts";
import { kindNamed, unknownObject } from "./named.ts";
import { defineRoute } from "./route.ts";

export const managers = defineRoute(
  {
    method: "GET",
    path: "/objects/{kind}/{namespace}/{name}/managers",
    summary:
      "Returns who wrote each field of an object: read from the API server with the rights of the viewer.",
    needs: ["managers"],
    isOnce: true,
    answer: managersSchema,
  },
  async ({ viewer, params, ports }, { functions }) => {
    const { namespace = "", name = "" } = params;
    const kind = kindNamed(functions, params["kind"]);
    demandNamespace(viewer, namespace);
    const found = await ports
      .managers(kind, { namespace, name }, viewer.token)
      .catch((error: unknown) => refuseRead(error, viewer, kind));
    if (found === undefined) throw unknownObject(kind, namespace);
    return { items: found.slice(0, MAX_MANAGERS), more: Math.max(0, found.length - MAX_MANAGERS) };
  },
);

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
