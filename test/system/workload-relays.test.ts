import { expect, it } from "vitest";
import { createRedisStore } from "../../infra/queue/backends/redis/store/store.ts";
import { CONNECTION_TYPE } from "../../infra/relay/workload/connection-record.ts";
import type { Connection } from "../../shared/api/core.ts";
import { compareText } from "../../shared/rules/conditions/conditions.ts";
import { deployAccounts, userOf } from "../support/deployed-accounts.ts";
import { eventually } from "../support/eventually.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { readAuditLog } from "../support/processes/audit-log.ts";
import { type CliProcess, startCli } from "../support/processes/cli.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { type NodeServer, startNodeServer } from "../support/processes/node-server.ts";
import { startRealServer } from "../support/processes/real-server.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { silentLog } from "../support/silent-log.ts";

const WITHIN = { withinMs: 120_000, stepMs: 300 };
const CLUSTERS = Array.from({ length: 30 }, (_, index) => `c${index}`);
const LEADER = "capstan-relay";
const SHARED = "capstan-relay-workloads";

async function createCluster(
  kubectl: Kubectl,
  workloads: NodeServer,
  names: readonly string[],
): Promise<void> {
  const objects = names.flatMap((name) => [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "default", name: `${name}-kubeconfig` },
      data: { value: Buffer.from(workloads.kubeconfigOf(name)).toString("base64") },
    },
    {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "Cluster",
      metadata: { namespace: "default", name },
      spec: { infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "NoCluster", name } },
    },
  ]);
  await kubectl("create -f -", objects.map((object) => JSON.stringify(object)).join("\n---\n"));
}

/** The Clusters that a relay follows, from its own status. */
async function followedBy(relay: CliProcess): Promise<readonly string[]> {
  const [, url] = /metrics: (http:\S+)\/metrics/.exec(relay.output()) ?? [];
  const { relay: status } = (await (await fetch(`${url}/status`)).json()) as {
    readonly relay: { readonly connections: readonly { readonly cluster: string }[] };
  };
  return status.connections.map(({ cluster }) => cluster.replace("default/", ""));
}

describeWith(REAL.missing ?? redisMissing() ?? kubectlMissing(), REAL)(
  "relays that share the workload clusters, on a real kube-apiserver, each under its own token",
  () => {
    it("follow each Cluster once, also after one is killed, stands still and resumes, and use each of their rights", async () => {
      await using server = await startRealServer(process.env["KUBEBUILDER_ASSETS"] ?? "");
      await using redis = await startRedis();
      await using workloads = await startNodeServer();
      await using store = await createRedisStore({ url: redis.url, log: silentLog });
      const kubectl = kubectlFor(server.kubeconfigFile);
      await kubectl("apply --server-side -f infra/platform/crds/generated");
      await kubectl("wait crd --all --for=condition=Established --timeout=240s");
      await using accounts = await deployAccounts(server, [LEADER, SHARED], ["workload-relays"]);
      await createCluster(kubectl, workloads, CLUSTERS);
      const start = (account: string, ...args: readonly string[]) => {
        const shared = ["--kubeconfig", accounts.fileOf(account), "--queue", redis.url];
        const seen = ["--metrics-address", "127.0.0.1:0", "--leader-elect-namespace", "capstan-system"];
        return startCli(["relay", ...shared, ...seen, "--functions", "cluster-api", ...args]);
      };
      await using leader = start(LEADER, "--leader-elect", "--no-workloads");
      await using first = start(SHARED, "--workloads");
      await using second = start(SHARED, "--workloads");

      const states = async () => {
        const found = (await store.list(CONNECTION_TYPE, {})) as readonly Connection[];
        return Object.fromEntries(found.map(({ metadata, status }) => [metadata.name, status.state]));
      };
      const connected = (names: readonly string[]) =>
        Object.fromEntries(names.map((name) => [name, "connected"]));
      /** Each Cluster is followed by one of these relays, connected, and nothing else watches it. */
      const areSharedBy = (relays: readonly CliProcess[], names = CLUSTERS) =>
        eventually(async () => {
          const followed = (await Promise.all(relays.map(followedBy))).flat();
          expect(followed.toSorted(compareText)).toEqual(names.toSorted(compareText));
          expect(Object.fromEntries(workloads.watches())).toEqual(
            Object.fromEntries(names.map((name) => [name, 1])),
          );
          expect(await states()).toEqual(connected(names));
        }, WITHIN);
      const nodesOf = (name: string) =>
        store.list({ cluster: `default/${name}`, group: "", kind: "Node" }, {});

      await eventually(() => expect(leader.output()).toContain("first list"), WITHIN);
      await areSharedBy([first, second]);
      expect(await followedBy(leader)).toEqual([]);
      expect(first.output()).toContain("share the workload clusters");

      // Killed: no goodbye, its Lease expires.
      first.child.kill("SIGKILL");
      await areSharedBy([second]);
      await using third = start(SHARED, "--workloads");
      await areSharedBy([second, third]);

      // Stands still: its connections stay open, and the other one takes over all the same.
      third.child.kill("SIGSTOP");
      const frozen = CLUSTERS.filter((name) => workloads.watches().get(name) === 1);
      await eventually(async () => expect(await followedBy(second)).toHaveLength(CLUSTERS.length), WITHIN);
      const twice = await eventually(() => {
        const open = CLUSTERS.filter((name) => workloads.watches().get(name) === 2);
        expect(open).not.toEqual([]);
        return open;
      }, WITHIN);
      expect(frozen).toEqual(expect.arrayContaining(twice));
      for (const name of twice) workloads.join(name, `${name}-late`);
      await eventually(async () => {
        for (const name of twice) expect(await nodesOf(name)).toHaveLength(2);
      }, WITHIN);
      third.child.kill("SIGCONT");
      await areSharedBy([second, third]);
      for (const name of twice) expect(await nodesOf(name)).toHaveLength(2);

      await kubectl("delete cluster/c0 --wait=false");
      await areSharedBy([second, third], CLUSTERS.slice(1));
      expect(await nodesOf("c0")).toEqual([]);

      // A watch is in the audit log once it has ended.
      for (const process of [leader, second, third]) await process[Symbol.asyncDispose]();
      await eventually(async () => {
        const own = (await readAuditLog(server.auditLog)).filter(({ user }) => user === userOf(SHARED));
        expect(own.filter(({ code }) => code === 403)).toEqual([]);
        const used = new Set(
          own.map(
            ({ verb, resource, name }) => `${verb} ${resource}${resource === "namespaces" ? ` ${name}` : ""}`,
          ),
        );
        // Clusters are listed one by one, or at all, only where the server streams no first list.
        expect([...used, "list clusters"].toSorted(compareText)).toEqual(
          expect.arrayContaining([
            "create leases",
            "get leases",
            "get namespaces kube-system",
            "get secrets",
            "list clusters",
            "list leases",
            "patch leases",
            "watch clusters",
          ]),
        );
      }, WITHIN);
      const ofLeader = (await readAuditLog(server.auditLog)).filter(({ user }) => user === userOf(LEADER));
      expect(ofLeader.filter(({ code, resource }) => code === 403 || resource === "secrets")).toEqual([]);
    });
  },
);
