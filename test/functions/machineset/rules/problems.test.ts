import { describe, expect, it } from "vitest";
import { setProblem } from "../../../../functions/machineset/rules/problems.ts";
import { machineSet } from "../../../support/foo-sets.ts";

describe("setProblem", () => {
  it.each([
    ["replicas", { replicas: -1 }, "spec.replicas is -1; set it to 0 or more"],
    [
      "a selector that misses the labels of the template",
      { template: { metadata: { labels: { "cluster.x-k8s.io/set-name": "other" } } } },
      "spec.selector cluster.x-k8s.io/cluster-name=c1,cluster.x-k8s.io/set-name=s1 does not match the labels of spec.template.metadata; set the same labels in both",
    ],
    [
      "a malformed selector",
      { selector: { matchExpressions: [{ key: "a", operator: "Like" }] } },
      "spec.selector.matchExpressions[0].operator is Like; write In, NotIn, Exists or DoesNotExist",
    ],
    [
      "a naming without random",
      { machineNaming: { template: "{{ .machineSet.name }}" } },
      "spec.machineNaming.template has no {{ .random }}; add it, it makes each name its own",
    ],
  ])("names %s", (_, spec, problem) => {
    expect(setProblem(machineSet({ spec }))).toBe(problem);
  });
});
