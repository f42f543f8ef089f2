import { describe, expect, it } from "vitest";
import { AGGREGATE_TO } from "../../../../infra/deploy/manifests/accounts.ts";
import { serverProcesses } from "../../../../infra/deploy/manifests/processes.ts";
import { providerRoles } from "../../../../infra/deploy/manifests/provider-roles.ts";

const KINDS = [
  { group: "b.dev", plural: "clouds" },
  { group: "a.dev", plural: "machines" },
  { group: "a.dev", plural: "pools" },
];

describe("rights on kinds of providers of other groups", () => {
  it("are for those that meet providers, and name no verb that they do not need", async () => {
    const roles = providerRoles(KINDS, await serverProcesses());
    const rules = (verbs: readonly string[]) => [
      { apiGroups: ["b.dev"], resources: ["clouds"], verbs },
      { apiGroups: ["a.dev"], resources: ["machines", "pools"], verbs },
    ];
    expect(roles.map(({ metadata, ["rules"]: own }) => [metadata.labels?.[AGGREGATE_TO], own])).toEqual([
      ["capstan-relay", rules(["get", "list", "watch"])],
      ["capstan-worker-core", rules(["create", "delete", "get", "list", "patch"])],
      ["capstan-worker-workload", rules(["create", "delete", "get", "list"])],
    ]);
  });

  it("are taken back, role by role, when no kind is left", async () => {
    const processes = await serverProcesses();
    const before = providerRoles(KINDS, processes);
    expect(providerRoles([], processes)).toEqual(before.map((role) => ({ ...role, rules: [] })));
  });
});
