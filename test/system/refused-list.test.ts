import { afterAll, beforeAll, expect, it } from "vitest";
import { serverProcesses } from "../../infra/deploy/manifests/deployments.ts";
import { deployAccounts } from "../support/deployed-accounts.ts";
import { eventually } from "../support/eventually.ts";
import { simCluster } from "../support/manifests.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { runCli } from "../support/processes/cli.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { type RealServer, startRealServer } from "../support/processes/real-server.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { grantsIn } from "../support/taken-rights.ts";

const WITHIN = { withinMs: 120_000, stepMs: 500 };

describeWith(REAL.missing ?? redisMissing() ?? kubectlMissing(), REAL)(
  "a provider of another API group on a real kube-apiserver, without rights on its kinds",
  () => {
    const stack = new AsyncDisposableStack();
    let server: RealServer;
    let kubectl: Kubectl;
    let queue = "";

    beforeAll(async () => {
      server = stack.use(await startRealServer(process.env["KUBEBUILDER_ASSETS"] ?? ""));
      queue = stack.use(await startRedis()).url;
      kubectl = kubectlFor(server.kubeconfigFile);
      await kubectl("apply --server-side -f infra/platform/crds/generated");
      await kubectl("wait crd --all --for=condition=Established --timeout=240s");
      const processes = await serverProcesses();
      const accounts = stack.use(
        await deployAccounts(
          server,
          processes.map(({ name }) => name),
        ),
      );
      for (const process of processes) stack.use(accounts.start(process, queue));
    });
    afterAll(() => stack.disposeAsync());

    const events = () => kubectl("get events -o jsonpath={.items[*].message}");
    const explained = async () =>
      (
        await runCli(
          "explain",
          "cluster",
          "default/c1",
          "--kubeconfig",
          server.kubeconfigFile,
          "--queue",
          queue,
        )
      ).output;

    it("is missed by name on the Cluster, and in its explanation, and read once it is granted as they say", async () => {
      await kubectl("apply -f -", simCluster("c1"));
      const missed = 'capstan-relay" cannot list resource "simclusters"';
      await eventually(async () => expect(await events()).toContain(missed), WITHIN);
      const reported = await explained();
      expect(reported).toContain(missed);
      expect(reported).toContain("capstan rbac --from-cluster");
      expect(reported).toContain("SimCluster default/c1  cannot be read: see above");
      expect(reported).not.toContain("does not exist");

      const grants = [...grantsIn(await events())].find(([role]) => role.includes("simclusters."));
      for (const command of grants ?? []) await kubectl(command.replace("kubectl ", ""));
      await eventually(async () => expect(await explained()).not.toContain(missed), WITHIN);

      // The others by one command.
      const { output } = await runCli("rbac", "--from-cluster", "--kubeconfig", server.kubeconfigFile);
      await kubectl("apply --validate=strict -f -", output);
      await kubectl(
        "wait simcluster/c1 --for=jsonpath={.metadata.ownerReferences[0].name}=c1 --timeout=240s",
      );
      expect(await explained()).not.toContain("cannot list");
    });
  },
);
