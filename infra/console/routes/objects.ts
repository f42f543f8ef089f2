import { type Kind, type KubeObject, titleOf } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { clusterKeyOf, shownKinds } from "../../operate/explain/object-tree.ts";
import type { Explained } from "../api/explained.ts";
import { childrenQuerySchema, childrenSchema, clusterSchema, objectSchema } from "../api/object.ts";
import type { Explain, ExplainedObject } from "../ports.ts";
import { problem } from "../problem.ts";
import type { Viewer } from "../viewer.ts";
import { CLUSTER, INSTALLED, kindNamed, refuseCursor, requireNamespace, unknownObject } from "./require.ts";
import { defineRoute } from "./route.ts";

export const cluster = defineRoute(
  {
    method: "GET",
    path: "/clusters/{namespace}/{name}",
    summary:
      "Returns a Cluster with the objects that belong to it, and the state of every function for them.",
    needs: ["explain"],
    answer: clusterSchema,
  },
  async ({ viewer, params: { namespace = "", name = "" }, ports }) => {
    const { tree, causes } = await explained(viewer, ports.explain, { kind: CLUSTER, namespace, name });
    return { namespace, name, tree, causes };
  },
  (_, { namespace, name, tree }) => ({
    clusters: [`${namespace}/${name}`],
    objects: [`${namespace}/${name}`, ...namesIn(tree)],
  }),
);

export const object = defineRoute(
  {
    method: "GET",
    path: "/objects/{kind}/{namespace}/{name}",
    summary:
      "Returns an object with the objects that belong to it, and the state of every function for them.",
    needs: ["explain"],
    answer: objectSchema,
  },
  async ({ viewer, params, ports }, { functions, commandLine = INSTALLED }) => {
    const { capstan, cluster: flags } = commandLine;
    const { namespace = "", name = "" } = params;
    const kind = kindNamed(functions, params["kind"]);
    const asked = { kind, namespace, name };
    const { tree, causes, rollout, object: found } = await explained(viewer, ports.explain, asked);
    const cluster = clusterKeyOf(kind, found);
    const command = kind.kind.toLowerCase();
    return {
      kind: kind.kind,
      namespace,
      name,
      ...(cluster === undefined ? {} : { cluster }),
      ...summaryOf(found),
      ...(rollout === undefined ? {} : { rollout }),
      tree,
      causes,
      commands: [
        `${capstan} explain ${command} ${namespace}/${name}${flags}`,
        `kubectl${flags} --namespace ${namespace} get ${kind.plural}.${kind.group} ${name} --output yaml`,
      ],
    };
  },
  (_, { namespace, name, tree }) => ({ objects: [`${namespace}/${name}`, ...namesIn(tree)] }),
);

/** Facts that people look for first; every kind has its version at one of these paths, if it has one. */
function summaryOf(object: KubeObject) {
  const { creationTimestamp: createdAt, ownerReferences = [], namespace = "" } = object.metadata;
  const versions = VERSIONS.map((path) => valueAt(object, path));
  const version = versions.find((each) => typeof each === "string");
  const controller = ownerReferences.find((reference) => reference.controller === true) ?? ownerReferences[0];
  const owner = controller && titleOf(controller.kind, { namespace, name: controller.name });
  return { createdAt, version, owner, replicas: replicasOf(object) };
}

/** Returns the replicas of a pool, a set or a control plane, with the counters that it has. */
function replicasOf(object: KubeObject): string | undefined {
  const [desired, exist] = [valueAt(object, "spec.replicas"), valueAt(object, "status.replicas")];
  if (typeof desired !== "number") return undefined;
  const counted = Object.entries(COUNTERS).flatMap(([field, word]) => {
    const count = valueAt(object, `status.${field}`);
    return typeof count === "number" ? [`${count} ${word}`] : [];
  });
  return [`${typeof exist === "number" ? exist : 0} of ${desired}`, ...counted].join(", ");
}
const COUNTERS = { readyReplicas: "ready", availableReplicas: "available", upToDateReplicas: "up to date" };
const VERSIONS = ["status.version", "spec.version", "spec.template.spec.version"];

/** Returns `default/p1` of `MachinePool default/p1`. */
function namesIn({ object, children }: Explained): readonly string[] {
  return [object.slice(object.indexOf(" ") + 1), ...children.flatMap(namesIn)];
}

async function explained(
  viewer: Viewer,
  explain: Explain,
  { kind, ...key }: { readonly kind: Kind; readonly namespace: string; readonly name: string },
): Promise<ExplainedObject> {
  requireNamespace(viewer, key.namespace);
  const found = await explain(kind, key);
  if (found !== undefined) return found;
  throw unknownObject(kind, key.namespace);
}

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
