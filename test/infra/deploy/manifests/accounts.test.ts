import { describe, expect, it } from "vitest";
import {
  AGGREGATE_TO,
  processAccount,
  providerRoles,
  rightsOfProcess,
} from "../../../../infra/deploy/manifests/accounts.ts";
import { serverProcesses, workloadRelay } from "../../../../infra/deploy/manifests/deployments.ts";
import type { PolicyRule } from "../../../../infra/deploy/rights.ts";
import { groupOf } from "../../../../shared/function/groups.ts";
import { compareText } from "../../../../shared/rules/conditions/conditions.ts";

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

const processes = await serverProcesses();
const rightsOf = (name: string) => {
  const found = processes.find((process) => process.name === name);
  if (found === undefined) throw new Error(`there is ${name} no longer`);
  return rightsIn(rightsOfProcess(found));
};
const rightsIn = (rules: readonly PolicyRule[]) =>
  rules
    .flatMap(({ apiGroups, resources, resourceNames = [undefined], verbs }) =>
      verbs.flatMap((verb) =>
        resources.flatMap((resource) =>
          resourceNames.map((name) => {
            const place = [...apiGroups, resource, name].filter((part) => part !== undefined);
            return `${verb} ${place.join("/")}`;
          }),
        ),
      ),
    )
    .toSorted(compareText);

describe("the accounts of a deployment", () => {
  it("are one for the relay and one for the workers of each group, and every function has its place", () => {
    expect(processes.map(({ name }) => name)).toEqual([
      "capstan-relay",
      "capstan-worker-core",
      "capstan-worker-workload",
      "capstan-worker-credentials",
    ]);
    const [relay, ...workers] = processes;
    expect(workers.flatMap(({ functions }) => functions)).toHaveLength(relay.functions.length);
    for (const { group, functions } of workers)
      expect(new Set(functions.map(({ spec }) => groupOf(spec)))).toEqual(new Set([group]));
    for (const process of processes) {
      const accounts = processAccount(process).filter(({ kind }) => kind === "ServiceAccount");
      expect(accounts.map(({ metadata }) => metadata.name)).toEqual([process.name]);
    }
  });

  it("let workers watch nothing and the relay write nothing", () => {
    const [relay, ...workers] = processes;
    expect(workers.flatMap(({ name }) => rightsOf(name)).filter((right) => /^watch /.test(right))).toEqual(
      [],
    );
    expect(rightsOf(relay.name).filter((right) => !/^(get|list|watch) /.test(right))).toEqual([]);
    const leases = processAccount(relay).filter(({ kind }) => kind === "Role");
    expect(leases).toMatchObject([{ rules: [{ resources: ["leases"], verbs: ["create", "get", "patch"] }] }]);
  });

  it("let relays that share the workload clusters follow Clusters, read kubeconfigs and hold their Leases", async () => {
    const relay = await workloadRelay();
    const { name } = relay;
    expect(rightsIn(rightsOfProcess(relay))).toEqual([
      "get /namespaces/kube-system",
      "get /secrets",
      "get cluster.x-k8s.io/clusters",
      "list cluster.x-k8s.io/clusters",
      "watch cluster.x-k8s.io/clusters",
    ]);
    const account = processAccount(relay);
    expect(
      account.filter(({ kind }) => kind === "ServiceAccount").map(({ metadata }) => metadata.name),
    ).toEqual([name]);
    const [{ rules = [] } = {}] = account.filter(({ kind }) => kind === "Role") as {
      rules?: readonly PolicyRule[];
    }[];
    const leases = rightsIn(rules);
    expect(leases).toContain("patch coordination.k8s.io/leases/capstan-relay-shard-31");
    expect(leases.filter((right) => !right.includes("capstan-relay-shard-"))).toEqual([
      "create coordination.k8s.io/leases",
      "list coordination.k8s.io/leases",
    ]);
  });

  it.each([
    ["capstan-worker-core", []],
    ["capstan-worker-workload", ["get /secrets"]],
    ["capstan-worker-credentials", ["create /secrets", "get /secrets", "patch /secrets"]],
  ])("%s may do with Secrets: %j", (name, expected) => {
    expect(rightsOf(name).filter((right) => /\bsecrets\b/.test(right))).toEqual(expected);
  });

  it("let those make an owner wait for its dependents whose functions do", () => {
    const finalizers = (name: string) =>
      rightsOf(name)
        .filter((right) => right.endsWith("/finalizers"))
        .map((right) => right.replace("update cluster.x-k8s.io/", ""));
    expect(finalizers("capstan-worker-core")).toEqual(
      ["clusters", "machinedeployments", "machinepools", "machines", "machinesets"].map(
        (plural) => `${plural}/finalizers`,
      ),
    );
    expect(finalizers("capstan-worker-workload")).toEqual([]);
    expect(finalizers("capstan-worker-credentials")).toEqual([]);
  });
});
