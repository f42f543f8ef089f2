import { expect, it } from "vitest";
import { renderReleases, SIM_PROVIDERS } from "../support/capstan-release.ts";
import { describeWithClusterctl, startClusterctl } from "../support/clusterctl.ts";
import { eventually } from "../support/eventually.ts";
import { startKubelet } from "../support/kubelet.ts";
import { readAuditLog } from "../support/processes/audit-log.ts";
import { kubectlFor } from "../support/processes/kubectl.ts";
import { startRealServer } from "../support/processes/real-server.ts";

const ASSETS = process.env["KUBEBUILDER_ASSETS"] ?? "";
const FLAVORS = [
  { name: "pool", flag: "", workers: "machinepool/pool-workers" },
  { name: "machines", flag: "--flavor machines", workers: "machinepool/machines-workers" },
  { name: "md", flag: "--flavor machinedeployment", workers: "machinedeployment/md-workers" },
];
const ACCOUNT = /^system:serviceaccount:capstan-/;

describeWithClusterctl("Clusters of templates on a release that clusterctl has installed", () => {
  it("become Available, scale and go, with the rights of the release and no others", async () => {
    await using server = await startRealServer(ASSETS);
    const { kubeconfigFile } = server;
    const kubectl = kubectlFor(kubeconfigFile);
    await using releases = await renderReleases(["v0.1.0"]);
    await using clusterctl = await startClusterctl({ config: releases.config, kubeconfigFile });
    await using kubelet = await startKubelet(server);
    await clusterctl(`init ${SIM_PROVIDERS("v0.1.0")} --wait-providers`);

    for (const { name, flag } of FLAVORS) {
      const generate = `generate cluster ${name} ${flag} --infrastructure sim:v0.1.0`;
      const variables = await clusterctl(`${generate} --list-variables`);
      expect(variables.match(/Required Variables:\n((?: {2}- .*\n)*)/)?.[1]).toBe("  - KUBERNETES_VERSION\n");
      const manifest = await clusterctl(
        `${generate} --kubernetes-version v1.34.2 --worker-machine-count 2 --target-namespace default`,
      );
      await kubectl("apply --dry-run=server --validate=strict -f -", manifest);
      await kubectl("apply -f -", manifest);
    }
    for (const { name, workers } of FLAVORS) {
      await available(name, workers, 2);
      await kubectl(`scale ${workers} --replicas=3`);
      await available(name, workers, 3);
    }
    expect(await kubectl(`get clusters.v1beta1.cluster.x-k8s.io md -o yaml`)).toContain("/v1beta1\n");
    await kubectl(`delete clusters --all --timeout=240s`);

    const requests = await readAuditLog(server.auditLog);
    const own = requests.filter(({ user }) => ACCOUNT.test(user ?? ""));
    const accounts = new Set(own.map(({ user }) => user?.replace(/.*:/, "")));
    expect(accounts).toEqual(
      new Set([
        "capstan-core",
        "capstan-webhook",
        "capstan-bootstrap-sim",
        "capstan-control-plane-sim",
        "capstan-infrastructure-sim",
        "capstan-infrastructure-sim-cloud",
      ]),
    );
    expect(own.filter(({ code }) => code === 401 || code === 403)).toEqual([]);

    async function available(name: string, workers: string, replicas: number): Promise<void> {
      await eventually(
        async () => {
          const format = `-o 'jsonpath={.status.conditions[?(@.type=="Available")].status}'`;
          const [cluster, ready] = await Promise.all([
            kubectl(`get cluster ${name} ${format}`),
            kubectl(`get ${workers} -o jsonpath={.status.readyReplicas}`),
          ]);
          expect([cluster, ready]).toEqual(["True", `${replicas}`]);
        },
        { withinMs: 240_000, stepMs: 500 },
      ).catch((error: unknown) => {
        const said = [...kubelet.running].map(([app, cli]) => `${app}: ${cli.output().slice(-3_000)}`);
        throw new Error(`Cluster ${name}: ${String(error)}\n${said.join("\n")}`);
      });
    }
  });
});
