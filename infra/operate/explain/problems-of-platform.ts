import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { apiVersionOf, type Kind } from "../../../shared/api/kinds.ts";
import type { Freshness } from "../../../shared/runtime/read/signs.ts";
import { type Problem, parted } from "./problem.ts";
import type { Unserved } from "./unserved.ts";

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

/** Returns what makes everything else old, and so stands before it. */
export function silenceProblems({ silences }: Pick<Freshness, "silences">): readonly Problem[] {
  return silences.map(({ message, since }) => ({
    about: "freshness",
    object: "relay",
    ...parted(message),
    ...(since === undefined ? {} : { since }),
    severity: "broken",
    consequences: 0,
  }));
}

/** Returns the functions whose keys wait for a worker. */
export function workerProblems(unserved: readonly Unserved[]): readonly Problem[] {
  return unserved.map(({ function: object, since, message }) => ({
    about: "worker",
    object,
    ...parted(message),
    since,
    severity: "broken",
    consequences: 0,
  }));
}
