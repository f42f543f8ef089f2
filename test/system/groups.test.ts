import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inStandardGroup, rightsOf } from "../../infra/deploy/rights.ts";
import { startApiServer } from "../../infra/playground/apiserver/entry.ts";
import { loadFunctions } from "../../infra/worker/load.ts";
import { Secret } from "../../shared/api/core.ts";
import type { ContractKind } from "../../shared/contract/contract-kind.ts";
import { GROUPS, type Group } from "../../shared/function/groups.ts";
import { eventually } from "../support/eventually.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { startCli } from "../support/processes/cli.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN = { withinMs: 90_000, stepMs: 300 };

/** The rights that follow from the functions of a group, where every provider is a simulated one. */
async function rightsOfGroup(group: Group) {
  const placeOf = (kind: ContractKind) => {
    const { group: standard, resource } = inStandardGroup(kind);
    return { group: standard.replace(/\.cluster\.x-k8s\.io$/, ".sim.capstan.dev"), resource };
  };
  const rules = rightsOf(await loadFunctions([group]), placeOf, ["worker"]);
  return rules.map(({ apiGroups: groups, resources, resourceNames: names, verbs }) => {
    return { groups, resources, verbs, ...(names && { names }) };
  });
}

describeWith(redisMissing() ?? kubectlMissing())(
  "a worker of each group, each with an account of its own",
  () => {
    it("S-03: bring up a Cluster with a pool under the rights that they declare, although core may read no Secret and workload may write none", async () => {
      await using redis = await startRedis();
      await using api = await startApiServer({ name: "groups", recordRequests: true });
      const dir = testFolder("groups");
      const fileFor = async (name: string, token?: string): Promise<string> => {
        await writeFile(join(dir, name), api.kubeconfig(token), { mode: 0o600 });
        return join(dir, name);
      };
      const admin = await fileFor("admin");
      const worker = async (group: Group) => {
        const token = api.addUser({ name: group, allow: await rightsOfGroup(group) });
        const file = await fileFor(group, token);
        return startCli(["worker", "--functions", group, "--kubeconfig", file, "--queue", redis.url]);
      };
      const rest = ["--roles", "relay", "cloud", "--install-crds", "--empty", "--quiet"];
      await using others = startCli(["up", "--kubeconfig", admin, "--queue", redis.url, ...rest]);
      await using core = await worker("core");
      await using workload = await worker("workload");
      await using credentials = await worker("credentials");
      await eventually(() => {
        for (const { output } of [core, workload, credentials]) expect(output()).toContain("serving");
      }, WITHIN);

      const kubectl = kubectlFor(admin);
      await eventually(async () => {
        await kubectl("apply -f -", [simCluster("c1"), simPool("p1", "c1", 2)].join("---"));
      }, WITHIN);
      await eventually(async () => {
        expect(await kubectl("get machinepool p1 -o jsonpath={.status.phase}")).toBe("Running");
        expect(await kubectl("wait --for=condition=Available cluster/c1 --timeout=1s")).toContain("met");
      }, WITHIN).catch((error: unknown) => {
        throw new Error(others.output(), { cause: error });
      });

      const functions = await Promise.all(
        GROUPS.map(async (group) => [group, await loadFunctions([group])] as const),
      );
      const groupsOf = new Map(
        functions.flatMap(([group, all]) => all.map(({ spec }) => [spec.name, group])),
      );
      const ofWorkers = api.requests.flatMap((request) => {
        const [, name = ""] = /\bcapstan\S* (\S+)/.exec(request.userAgent) ?? request.userAgent.split(" ");
        const group = groupsOf.get(name) ?? (name === "worker" ? "worker" : undefined);
        return group === undefined ? [] : [{ ...request, group }];
      });
      // Those of `workload` write to the workload server; here they read a kubeconfig, as `worker`.
      expect(new Set(ofWorkers.map(({ group }) => group))).toEqual(
        new Set(["core", "credentials", "worker"]),
      );
      expect(ofWorkers.filter(({ code }) => code === 403)).toEqual([]);
      const onSecrets = ofWorkers.filter(({ resource }) => resource === Secret.plural);
      expect(new Set(onSecrets.map(({ group, verb }) => `${group} ${verb}`))).toEqual(
        new Set(["credentials get", "credentials create", "worker get"]),
      );
    });
  },
);
