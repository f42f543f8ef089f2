import { CLUSTER_GROUP, groupOf, type KubeObject } from "../../api/kinds.ts";

/** Advice about kinds of which Capstan has no type. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["ClusterClass", "write a Cluster with infrastructureRef and controlPlaneRef instead"],
]);

/** Returns why Cluster API's object will not be worked on, and what to do; `undefined` when nothing is against it. */
export function notRun({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): string | undefined {
  const instead = groupOf(apiVersion) === CLUSTER_GROUP ? INSTEAD.get(kind) : undefined;
  if (instead === undefined) return undefined;
  const beside = "or run Capstan beside it (infra/guides/take-over.md)";
  return `Capstan does not run kind ${kind}, which needs the manager of Cluster API; ${instead}, ${beside}`;
}
