import { describe, expect, it } from "vitest";
import { inStandardGroup, type PolicyRule, rightsOf } from "../../../infra/deploy/rights.ts";
import { ofSim } from "../../../infra/playground/release/providers.ts";
import { loadFunctions } from "../../../infra/worker/load.ts";

type Right = readonly [verb: string, group: string, resource: string];

function allows(rules: readonly PolicyRule[], [verb, group, resource]: Right): boolean {
  return rules.some(
    ({ apiGroups, resources, resourceNames, verbs }) =>
      resourceNames === undefined &&
      apiGroups.includes(group) &&
      (resources.includes(resource) || resources.includes("*")) &&
      verbs.some((each) => each === verb),
  );
}

const CORE = "cluster.x-k8s.io";
const INFRA = "infrastructure.sim.capstan.dev";

describe("the rights that follow from functions", () => {
  it.each<readonly [pattern: string, granted: readonly Right[], refused: readonly Right[]]>([
    [
      "machinepool-status",
      [
        ["watch", CORE, "machinepools"],
        ["patch", CORE, "machinepools/status"],
        ["list", "bootstrap.cluster.x-k8s.io", "anythings"],
        ["get", "", "secrets"],
        ["create", "", "events"],
        ["watch", "apiextensions.k8s.io", "customresourcedefinitions"],
      ],
      [
        ["patch", CORE, "machinepools"],
        ["create", "", "secrets"],
        ["watch", "", "secrets"],
        ["list", "", "secrets"],
        ["get", "", "nodes"],
        ["patch", "apiextensions.k8s.io", "customresourcedefinitions"],
        ["get", "", "namespaces"],
      ],
    ],
    [
      "machineset-machines",
      [
        ["create", CORE, "machines"],
        ["delete", CORE, "machines"],
        ["create", "infrastructure.cluster.x-k8s.io", "foomachines"],
        ["update", CORE, "machinesets/finalizers"],
        // It makes objects that a Machine controls.
        ["update", CORE, "machines/finalizers"],
      ],
      [
        ["delete", "infrastructure.cluster.x-k8s.io", "foomachines"],
        ["delete", CORE, "machinesets"],
        ["patch", CORE, "machinesets/status"],
        ["get", "", "secrets"],
      ],
    ],
    ["machinepool-remediate", [["patch", CORE, "machines/status"]], [["patch", CORE, "machines"]]],
    ["machine-drain", [["list", CORE, "machinedrainrules"]], [["create", "", "pods/eviction"]]],
    [
      "cluster-kubeconfig",
      [
        ["create", "", "secrets"],
        ["patch", "", "secrets"],
      ],
      [
        ["delete", "", "secrets"],
        ["update", CORE, "clusters/finalizers"],
      ],
    ],
  ])("of %s", async (pattern, granted, refused) => {
    const rules = rightsOf(await loadFunctions([pattern]), inStandardGroup);

    expect(granted.filter((right) => !allows(rules, right))).toEqual([]);
    expect(refused.filter((right) => allows(rules, right))).toEqual([]);
  });

  it("of a control plane provider name the kinds of its templates", async () => {
    const rules = rightsOf(await loadFunctions(["sim-controlplane-guard"]), ofSim);

    expect(allows(rules, ["patch", INFRA, "simmachinetemplates"])).toBe(true);
    expect(allows(rules, ["patch", INFRA, "simmachines"])).toBe(false);
    expect(rules.filter(({ resources }) => resources.includes("*"))).toEqual([]);
  });
});
