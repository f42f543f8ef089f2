import { expect, it } from "vitest";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { eventually } from "../support/eventually.ts";
import { API_SERVERS } from "../support/processes/api-servers.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(`kubectl explain on ${flavour.name}`, () => {
    it("describes kinds and fields of ours", async () => {
      await using api = await flavour.start();
      const access = await loadKubeconfig({ file: api.kubeconfigFile, env: {} });
      using server = createServer(access, { clock: systemClock });
      await installCrds(server.as("up"), systemClock);
      const kubectl = kubectlFor(api.kubeconfigFile);
      for (const [field, description] of [
        ["cluster", "A workload cluster"],
        ["cluster.spec.controlPlaneRef", "The provider object that runs the control plane"],
        ["cluster.spec.controlPlaneRef.apiGroup", "API group of the provider object"],
        ["machinepool.status.readyReplicas", "Without Machines"],
        ["machinepool.spec.template.spec.deletion.nodeDrainTimeoutSeconds", "Seconds to spend on draining"],
        ["machine.status.nodeInfo.swap.capacity", "Size in bytes"],
        ["simmachinepool.spec.bootDelaySeconds", "Default 1"],
      ] as const) {
        // A real server publishes new kinds a moment later, one group after the other.
        await eventually(
          async () =>
            expect((await kubectl(`explain ${field}`)).replaceAll(/\s+/g, " "), field).toContain(description),
          { withinMs: 60_000, stepMs: 500 },
        );
      }
    });
  });
}
