import { join } from "node:path";
import { it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { COMES_UP, ENDS, UPGRADES } from "../support/life/life.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { kubeadmProvidersMissing, startKubeadmProviders } from "../support/processes/kubeadm-providers.ts";
import { kubectlFor } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

describeWith(REAL.missing ?? kubeadmProvidersMissing(), { optional: true })(
  "a Cluster of Cluster API's own kubeadm providers, with Capstan as the only core",
  () => {
    it("comes up, is upgraded and ends, while each function has the rights of its account alone", async () => {
      await using stack = new AsyncDisposableStack();
      const { kubeconfigFile } = stack.use(await REAL.start());
      const kubectl = kubectlFor(kubeconfigFile);
      stack.use(await startCapstan(kubeconfigFile, { roles: ["relay", "worker"] }));
      stack.use(
        await startKubeadmProviders(kubeconfigFile, join(process.env["KUBEBUILDER_ASSETS"] ?? "", "kubectl")),
      );
      for (const { take } of [COMES_UP, UPGRADES, ENDS]) await take(kubectl);
    });
  },
);
