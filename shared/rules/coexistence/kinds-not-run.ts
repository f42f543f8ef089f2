import { groupOf, type KubeObject } from "../../api/kinds.ts";

/** Kinds of Cluster API that Capstan does not run, and what to write instead. */
const INSTEAD: { readonly [kind: string]: string } = {
  ClusterClass: "write a Cluster with infrastructureRef and controlPlaneRef instead",
  MachineDeployment: "write a MachineSet or MachinePool instead",
};

/** Why an object of Cluster API will not be worked on, and what to do; `undefined` when nothing is known against it. */
export function notRun({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): string | undefined {
  if (groupOf(apiVersion) !== "cluster.x-k8s.io" || !Object.hasOwn(INSTEAD, kind)) return undefined;
  const beside = "or run Capstan beside it (infra/guides/take-over.md)";
  return `Capstan does not run kind ${kind}, which needs the manager of Cluster API; ${INSTEAD[kind]}, ${beside}`;
}
