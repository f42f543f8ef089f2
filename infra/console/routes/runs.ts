import type { Kind } from "../../../shared/api/kinds.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import { type RunsQuery, runsQuerySchema, runsSchema } from "../api/runs.ts";
import type { ReadRuns } from "../ports.ts";
import type { Viewer } from "../viewer.ts";
import { CLUSTER, kindNamed, objectOf, refuseCursor, requireNamespace, unknownObject } from "./require.ts";
import { defineRoute } from "./route.ts";

export const clusterRuns = defineRoute(
  {
    method: "GET",
    path: "/clusters/{namespace}/{name}/runs",
    summary: "Returns the last runs of every function for a Cluster and the objects that belong to it.",
    needs: ["runs"],
    query: runsQuerySchema,
    answer: runsSchema,
  },
  async ({ viewer, params: { namespace = "", name = "" }, query, ports }) =>
    runsOf(viewer, ports.runs, { kind: CLUSTER, namespace, name, isAll: true, query }),
  ({ params: { namespace, name } }) => ({ clusters: [`${namespace}/${name}`] }),
);

export const objectRuns = defineRoute(
  {
    method: "GET",
    path: "/objects/{kind}/{namespace}/{name}/runs",
    summary:
      "Returns the last runs of every function for an object, with those that caused them and followed.",
    needs: ["runs"],
    query: runsQuerySchema,
    answer: runsSchema,
  },
  async ({ viewer, params, query, ports }, { functions }) => {
    const { namespace = "", name = "" } = params;
    const kind = kindNamed(functions, params["kind"]);
    return runsOf(viewer, ports.runs, { kind, namespace, name, isAll: false, query });
  },
  ({ params: { namespace, name } }, { items }) => ({
    // Runs of other objects of its Cluster may follow from its own.
    clusters: [...new Set(items.map(({ key }) => parseKey(key)?.tenant ?? ""))],
    objects: [`${namespace}/${name}`],
  }),
);

interface Asked {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  readonly isAll: boolean;
  readonly query: RunsQuery;
}

async function runsOf(viewer: Viewer, read: ReadRuns, { kind, namespace, name, isAll, query }: Asked) {
  requireNamespace(viewer, namespace);
  const { next: after, ...selection } = query;
  const found = await read(kind, { namespace, name }, { ...selection, after, isAll }).catch(refuseCursor);
  if (found === undefined) throw unknownObject(kind, namespace);
  const { items, next, knownSince } = found;
  return {
    items: items.map((run) => ({ ...run, object: objectOf(run.key) })),
    ...(next === undefined ? {} : { next }),
    ...(knownSince === undefined ? {} : { knownSince }),
  };
}
