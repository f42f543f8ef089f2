import { describe, expect, it } from "vitest";
import { fromAnywhere, networkPolicies, toCollector } from "../../../../infra/deploy/manifests/network.ts";

const policies = networkPolicies();
const textOf = (name: string) => JSON.stringify(policies.find(({ metadata }) => metadata.name === name));

describe("what Pods may reach", () => {
  it("is nothing unless a policy says so", () => {
    expect(policies.map(({ metadata, ["spec"]: spec }) => [metadata.name, spec])).toContainEqual([
      "capstan-nothing",
      { podSelector: {}, policyTypes: ["Ingress", "Egress"] },
    ]);
  });

  it("is never a link-local address, where clouds serve the credentials of a Node", () => {
    for (const { metadata } of policies) {
      const text = textOf(metadata.name);
      const blocks = text.match(/"cidr":"[^"]*"/g) ?? [];
      const excepted = text.match(/"except":\["(169\.254\.0\.0\/16|fe80::\/10)"\]/g) ?? [];
      expect(excepted).toHaveLength(blocks.length);
    }
  });

  it("is a collector of traces, in one namespace and at one port, where traces are wanted", () => {
    const policy = toCollector("observability", 4318);
    expect(policies.map(({ metadata }) => metadata.name)).not.toContain(policy.metadata.name);
    expect(policy["spec"]).toMatchObject({
      egress: [
        {
          to: [{ namespaceSelector: { matchExpressions: [{ operator: "In", values: ["observability"] }] } }],
          ports: [{ port: 4318, protocol: "TCP" }],
        },
      ],
    });
  });

  it("is a workload cluster for relay and workers of `workload` only", () => {
    expect(textOf("capstan-workload-clusters")).toContain(
      '{"key":"capstan.dev/group","operator":"NotIn","values":["core","credentials"]}',
    );
  });

  it("leaves out workload clusters for the console, which persons reach from anywhere", () => {
    expect(textOf("capstan-workload-clusters")).toContain(
      '{"key":"app.kubernetes.io/component","operator":"In","values":["relay","worker"]}',
    );
    expect(fromAnywhere("capstan-console", 9470)["spec"]).toEqual({
      podSelector: { matchLabels: { "app.kubernetes.io/name": "capstan-console" } },
      policyTypes: ["Ingress"],
      ingress: [{ ports: [{ port: 9470, protocol: "TCP" }] }],
    });
  });
});
