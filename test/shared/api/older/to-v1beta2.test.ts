import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { MachineHealthCheck } from "../../../../shared/api/machinehealthcheck.ts";
import { toV1beta2 } from "../../../../shared/api/older/to-v1beta2.ts";

const V1BETA1 = "cluster.x-k8s.io/v1beta1";

function reference(kind: string, name: string): object {
  return { apiVersion: "infrastructure.example.com/v1beta1", kind, name, namespace: "default" };
}

function objectOf(kind: string, spec: object, apiVersion = V1BETA1): KubeObject & { readonly spec: object } {
  return { apiVersion, kind, metadata: { name: "a" }, spec };
}

const CHECK = {
  clusterName: "c1",
  selector: { matchLabels: { role: "worker" } },
  nodeStartupTimeout: "1500ms",
  unhealthyConditions: [
    { type: "Ready", status: "Unknown", timeout: "5m" },
    { type: "Ready", status: "False", timeout: "5m0s" },
  ],
  unhealthyMachineConditions: [{ type: "NodeHealthy", status: "False", timeout: "0s" }],
  maxUnhealthy: "40%",
  unhealthyRange: "[1-3]",
  remediationTemplate: reference("FooRemediationTemplate", "t1"),
};

describe("a MachineHealthCheck of a manifest", () => {
  it.each(["v1beta1", "v1alpha4", "v1alpha3"])(
    "of %s is one of v1beta2, with each renamed field named once",
    (version) => {
      const { object, renamed } = toV1beta2(
        objectOf("MachineHealthCheck", CHECK, `cluster.x-k8s.io/${version}`),
      );
      expect(MachineHealthCheck.schema?.().safeParse(object).error).toBeUndefined();
      expect(object).toEqual({
        ...objectOf("MachineHealthCheck", {}, "cluster.x-k8s.io/v1beta2"),
        spec: {
          clusterName: "c1",
          selector: { matchLabels: { role: "worker" } },
          checks: {
            nodeStartupTimeoutSeconds: 1,
            unhealthyNodeConditions: [
              { type: "Ready", status: "Unknown", timeoutSeconds: 300 },
              { type: "Ready", status: "False", timeoutSeconds: 300 },
            ],
            unhealthyMachineConditions: [{ type: "NodeHealthy", status: "False", timeoutSeconds: 0 }],
          },
          remediation: {
            triggerIf: { unhealthyLessThanOrEqualTo: "40%", unhealthyInRange: "[1-3]" },
            templateRef: {
              apiVersion: "infrastructure.example.com/v1beta1",
              kind: "FooRemediationTemplate",
              name: "t1",
            },
          },
        },
      });
      const pair = / of cluster\.x-k8s\.io\/v1\w+: (\S+) becomes (\S+), its name in v1beta2$/;
      expect(renamed.map((text) => pair.exec(text)?.slice(1))).toEqual([
        ["spec.nodeStartupTimeout", "spec.checks.nodeStartupTimeoutSeconds"],
        ["spec.unhealthyConditions", "spec.checks.unhealthyNodeConditions"],
        ["spec.unhealthyConditions[].timeout", "spec.checks.unhealthyNodeConditions[].timeoutSeconds"],
        ["spec.unhealthyMachineConditions", "spec.checks.unhealthyMachineConditions"],
        [
          "spec.unhealthyMachineConditions[].timeout",
          "spec.checks.unhealthyMachineConditions[].timeoutSeconds",
        ],
        ["spec.maxUnhealthy", "spec.remediation.triggerIf.unhealthyLessThanOrEqualTo"],
        ["spec.unhealthyRange", "spec.remediation.triggerIf.unhealthyInRange"],
        ["spec.remediationTemplate", "spec.remediation.templateRef"],
      ]);
    },
  );

  it.each([
    [
      { remediationTemplate: { ...reference("T", "t"), namespace: "other" } },
      "spec.remediationTemplate.namespace: ",
    ],
    [{ maxHealthy: 1 }, "spec.maxHealthy: has no counterpart in v1beta2; leave it out"],
    [
      { unhealthyConditions: [{ type: "Ready", status: "False", timeout: "5m", reason: "x" }] },
      "spec.unhealthyConditions[0].reason: has no counterpart in v1beta2; leave it out",
    ],
    [{ nodeStartupTimeout: "5" }, 'spec.nodeStartupTimeout: "5" is not a duration'],
  ])("is refused with %j, by field", (more, message) => {
    const object = objectOf("MachineHealthCheck", { ...CHECK, ...more });
    expect(() => toV1beta2(object)).toThrow(new RegExp(`^MachineHealthCheck (default/)?a of ${V1BETA1}: `));
    expect(() => toV1beta2(object)).toThrow(message);
  });
});

describe("fields that v1beta2 has lost", () => {
  it("are left out, and stop nothing", () => {
    const spec = { clusterName: "c1", replicas: 3, revisionHistoryLimit: 1, progressDeadlineSeconds: 600 };
    const { object, renamed } = toV1beta2(objectOf("MachineDeployment", spec));
    expect(object).toMatchObject({ spec: { clusterName: "c1", replicas: 3 } });
    expect(Object.keys(Reflect.get(object, "spec"))).toHaveLength(2);
    expect(renamed).toEqual([]);
  });
});

describe("every other object", () => {
  it.each([
    ["cluster.x-k8s.io/v1beta2", "Cluster"],
    ["cluster.x-k8s.io/v1alpha4", "Cluster"],
    ["infrastructure.example.com/v1beta1", "Cluster"],
  ])("stays as it is: %s %s", (apiVersion, kind) => {
    const object = objectOf(kind, { unknown: 1 }, apiVersion);
    expect(toV1beta2(object)).toEqual({ object, renamed: [] });
  });
});
