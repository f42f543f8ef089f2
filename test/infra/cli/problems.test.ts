import { describe, expect, it } from "vitest";
import { definitionProblems, textOfProblems } from "../../../infra/cli/problems.ts";
import { Cluster } from "../../../shared/api/cluster/cluster.ts";

describe("a list without problems", () => {
  const calm = { namespace: "a", isAsked: true, unserved: [] };

  it.each([
    ["of one namespace", calm, ["no problems in namespace a; -A looks at all"]],
    [
      "without a queue",
      { ...calm, namespace: undefined, isAsked: false },
      ["no problems", expect.stringContaining("was not asked")],
    ],
    [
      "without workers",
      {
        ...calm,
        namespace: undefined,
        unserved: ["machine-node", "cluster-sync"].map((name) => ({ function: name })),
      },
      ["no problems", "no worker is seen for machine-node and 1 more: what they do next would wait"],
    ],
  ])("says what it rests on: %s", (_, asked, lines) => {
    expect(textOfProblems([], asked)).toEqual(lines);
  });
});

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
