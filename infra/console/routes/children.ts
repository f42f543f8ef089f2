import { shownKinds } from "../../operate/explain/object-tree.ts";
import { childrenQuerySchema, childrenSchema } from "../api/object.ts";
import { problem } from "../problem.ts";
import { refuseCursor } from "./full-page.ts";
import { kindNamed, unknownObject } from "./named.ts";
import { requireNamespace } from "./require.ts";
import { defineRoute } from "./route.ts";

export const children = defineRoute(
  {
    method: "GET",
    path: "/objects/{kind}/{namespace}/{name}/children",
    summary:
      "Returns the objects of one kind below an object, worst first: also those that its tree counts only.",
    needs: ["children"],
    query: childrenQuerySchema,
    answer: childrenSchema,
  },
  async ({ viewer, params, query: { next: after, kind: wanted, ...part }, ports }, { functions }) => {
    const { namespace = "", name = "" } = params;
    const parent = kindNamed(functions, params["kind"]);
    requireNamespace(viewer, namespace);
    const kinds = shownKinds(functions).map(({ kind }) => kind);
    if (!kinds.includes(wanted)) {
      throw problem(
        "invalidField",
        "kind: no tree shows objects of this kind",
        `take one of ${kinds.join(", ")}`,
        {
          field: "kind",
        },
      );
    }
    const selection = { ...part, kind: wanted, after };
    const found = await ports.children(parent, { namespace, name }, selection).catch(refuseCursor);
    if (found === undefined) throw unknownObject(parent, namespace);
    return found;
  },
  ({ params: { namespace, name } }, { items }) => ({
    objects: [`${namespace}/${name}`, ...items.map((item) => `${item.namespace}/${item.name}`)],
  }),
);
