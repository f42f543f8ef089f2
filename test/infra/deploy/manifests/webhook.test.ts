import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { webhookCommand } from "../../../../infra/cli/webhook.ts";
import type { Manifest } from "../../../../infra/deploy/deployment.ts";
import { webhook } from "../../../../infra/deploy/manifests/webhook.ts";
import type { PolicyRule } from "../../../../infra/deploy/rights.ts";
import { loadCrds } from "../../../../infra/platform/crds/crd.ts";
import { valueAt } from "../../../../shared/api/path.ts";

const objects = webhook();
const found = (kind: string) => objects.find((object) => object.kind === kind) as Manifest;
const rulesOf = (kind: string) => found(kind)["rules"] as readonly PolicyRule[];
const container = valueAt(found("Deployment"), "spec.template.spec.containers") as readonly [
  { readonly args: readonly string[]; readonly ports: readonly { readonly name: string }[] },
];

describe("the conversion webhook in a deployment", () => {
  it("patches the definitions that have older versions, by their names, and lists all", async () => {
    const older = await loadCrds(undefined, { url: "https://127.0.0.1/convert" });
    const names = older.filter((crd) => valueAt(crd, "spec.conversion")).map(({ metadata }) => metadata.name);
    const [list, changed] = rulesOf("ClusterRole");
    expect(list).toMatchObject({ resources: ["customresourcedefinitions"], verbs: ["list"] });
    expect(changed?.verbs).toEqual(["get", "patch"]);
    expect(changed?.resourceNames?.toSorted()).toEqual(names.toSorted());
  });

  it("reads one Secret by its name, in its own namespace", () => {
    expect(rulesOf("Role")).toMatchObject([
      { resources: ["secrets"], verbs: ["create"] },
      { resources: ["secrets"], resourceNames: ["capstan-webhook-ca"], verbs: ["get"] },
    ]);
    expect(found("Role").metadata.namespace).toBe("capstan-system");
  });

  it("calls the command with options that it knows, and is the Service that the command names", () => {
    const [command, ...args] = container[0].args;
    expect(command).toBe("webhook");
    const { options } = webhookCommand(new Command());
    const known = options.map(({ long }) => long);
    expect(args.map((arg) => arg.split("=")[0]).filter((option) => !known.includes(option))).toEqual([]);
    const named = options.find(({ long }) => long === "--service")?.defaultValue;
    expect(found("Service").metadata.name).toBe(named);
    expect(found("Service")["spec"]).toMatchObject({
      ports: [{ port: 443, targetPort: "webhook" }, { targetPort: "diagnostics" }],
    });
    expect(container[0].ports.map(({ name }) => name)).toContain("webhook");
  });

  it("loses one Pod of two to a drain, and lets the API server in at one port", () => {
    expect(found("Deployment")["spec"]).toMatchObject({ replicas: 2 });
    expect(found("PodDisruptionBudget")["spec"]).toMatchObject({ maxUnavailable: 1 });
    const port = container[0].args.find((arg) => arg.startsWith("--address=:"))?.split(":")[1];
    expect(found("NetworkPolicy")["spec"]).toMatchObject({ ingress: [{ ports: [{ port: Number(port) }] }] });
  });
});
