import { expect, it } from "vitest";
import { definitionProblems } from "../../../infra/cli/definition-problems.ts";
import { Cluster } from "../../../shared/api/cluster/cluster.ts";

it("a server without the definition of Clusters is broken, and one with it is not", () => {
  expect(definitionProblems([Cluster])).toEqual([]);
  expect(definitionProblems([])).toMatchObject([
    {
      about: "definition",
      cause: "the API server does not serve Cluster of cluster.x-k8s.io/v1beta2",
      severity: "broken",
    },
  ]);
});
