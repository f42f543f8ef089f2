import { CLUSTER_GROUP, groupOf, type KubeObject } from "../../api/kinds.ts";
import { traitsOf } from "../../api/traits.ts";

/** Advice about ClusterClasses, a kind of which Capstan has no type. */
const IN_PLACE_OF_CLASS = "write a Cluster with infrastructureRef and controlPlaneRef instead";

/** Returns why Cluster API's object will not be worked on, and what to do; `undefined` when nothing is against it. */
export function notRun({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): string | undefined {
  const group = groupOf(apiVersion);
  if (group !== CLUSTER_GROUP) return undefined;
  const instead = kind === "ClusterClass" ? IN_PLACE_OF_CLASS : traitsOf({ group, kind }).instead;
  if (instead === undefined) return undefined;
  const beside = "or run Capstan beside it (infra/guides/take-over.md)";
  return `Capstan does not run kind ${kind}, which needs the manager of Cluster API; ${instead}, ${beside}`;
}
