import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { apiVersionOf, type Kind } from "../../shared/api/kinds.ts";
import type { Problem } from "../operate/explain/problem.ts";

/** Returns the problem of a server without the definition of Clusters: that there are none must not look as if all were well. */
export function definitionProblems(served: readonly Pick<Kind, "kind">[]): readonly Problem[] {
  if (served.some(({ kind }) => kind === Cluster.kind)) return [];
  return [
    {
      about: "definition",
      object: "CustomResourceDefinition clusters.cluster.x-k8s.io",
      definition: `${Cluster.group}/${Cluster.kind}`,
      cause: `the API server does not serve ${Cluster.kind} of ${apiVersionOf(Cluster)}`,
      next: "install Capstan's CustomResourceDefinitions (infra/guides/install.md)",
      severity: "broken",
      consequences: 0,
    },
  ];
}
