import { describe, expect, it } from "vitest";
import type { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import { deploymentProblem, selectorOf } from "../../../../shared/rules/rollout/problems.ts";
import { machineDeployment } from "../../../support/foo-deployments.ts";

type Limits = { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };

function limited(rollingUpdate: Limits, type: "RollingUpdate" | "OnDelete" = "RollingUpdate") {
  const deployment = machineDeployment();
  return { ...deployment, spec: { ...deployment.spec, rollout: { strategy: { type, rollingUpdate } } } };
}

function selecting(selector: MachineDeployment["spec"]["selector"]): MachineDeployment {
  const deployment = machineDeployment();
  return { ...deployment, spec: { ...deployment.spec, selector } };
}

describe("deploymentProblem", () => {
  it.each([
    [{}],
    [{ maxSurge: 0, maxUnavailable: 1 }],
    [{ maxSurge: "0%", maxUnavailable: 0 }],
    [{ maxSurge: "150%", maxUnavailable: "0%" }],
  ])("has nothing against the limits %o", (limits) => {
    expect(deploymentProblem(limited(limits))).toBeUndefined();
  });

  it.each([
    [{ maxSurge: 0, maxUnavailable: 0 }, "maxSurge and spec.rollout.strategy.rollingUpdate.maxUnavailable"],
    [{ maxSurge: 0 }, "maxSurge and spec.rollout.strategy.rollingUpdate.maxUnavailable are both 0"],
    [{ maxSurge: "1" }, "maxSurge is 1; write a number such as 1, or a percentage"],
    [{ maxUnavailable: "10.5%" }, "maxUnavailable is 10.5%;"],
    [{ maxUnavailable: "-1%" }, "maxUnavailable is -1%;"],
    [{ maxSurge: -1 }, "maxSurge is -1;"],
  ])("names the limits %o", (limits, text) => {
    expect(deploymentProblem(limited(limits))).toContain(`spec.rollout.strategy.rollingUpdate.${text}`);
  });

  it("reads no limits as wrong that OnDelete does not use, and both as numbers", () => {
    expect(deploymentProblem(limited({ maxSurge: 0, maxUnavailable: 0 }, "OnDelete"))).toBeUndefined();
  });

  it.each([
    [{ metadata: { name: "n".repeat(64) } }, "metadata.name has 64 characters"],
    [{ spec: { replicas: -1 } }, "spec.replicas is -1"],
    [{ spec: { remediation: { maxInFlight: "few" } } }, "spec.remediation.maxInFlight is few"],
    [{ spec: { machineNaming: { template: "m" } } }, "spec.machineNaming.template has no {{ .random }}"],
    [{ spec: { machineNaming: { template: "M-{{ .random }}" } } }, "gives names such as M-"],
  ])("names %o", (overrides, text) => {
    expect(deploymentProblem(machineDeployment(overrides))).toContain(text);
  });

  it("names a selector that does not match or cannot be read", () => {
    expect(deploymentProblem(selecting({ matchLabels: { tier: "a" } }))).toContain(
      "spec.selector cluster.x-k8s.io/cluster-name=c1,tier=a does not match the labels",
    );
    const like = { matchExpressions: [{ key: "tier", operator: "Like" }] };
    expect(deploymentProblem(selecting(like))).toContain(
      "spec.selector.matchExpressions[0].operator is Like",
    );
  });
});

describe("selectorOf", () => {
  it.each([[undefined], [{ matchLabels: null }], [{ matchLabels: {} }]])("has none for %o", (selector) => {
    expect(selectorOf(selecting(selector))).toBeUndefined();
  });

  it("reads every operator", () => {
    const selector = selecting({ matchExpressions: [{ key: "tier", operator: "Exists" }] });
    expect(selectorOf(selector)?.matches({ tier: "x" })).toBe(true);
  });
});
