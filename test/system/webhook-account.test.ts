import { expect, it } from "vitest";
import { deployAccounts } from "../support/deployed-accounts.ts";
import { eventually } from "../support/eventually.ts";
import { EXAMPLE_OF_V1BETA1 } from "../support/older/example.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { freePorts } from "../support/processes/free-ports.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { startRealServer } from "../support/processes/real-server.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 120_000, stepMs: 300 };
const CRD = "crd/machinedeployments.cluster.x-k8s.io";

describeWith(REAL.missing ?? kubectlMissing(), REAL)(
  "the webhook of the manifests on a real API server",
  () => {
    it("S-05: two of them serve v1beta1 with the rights of their account, and --undo leaves v1beta2 alone", async () => {
      await using server = await startRealServer(process.env["KUBEBUILDER_ASSETS"] ?? "");
      const kubectl = kubectlFor(server.kubeconfigFile);
      await kubectl("apply --server-side -f infra/platform/crds/generated");
      await using accounts = await deployAccounts(server, ["capstan-webhook"], ["webhook"]);
      const [port = 0, other = 0] = await freePorts(2);
      const kubeconfig = ["--kubeconfig", accounts.fileOf("capstan-webhook")];
      const webhookAt = (at: number) =>
        startCli(
          [
            "webhook",
            ...kubeconfig,
            ...["--address", `127.0.0.1:${at}`, "--url", `https://127.0.0.1:${port}`, "--log-level", "info"],
          ],
          { POD_NAMESPACE: "capstan-system" },
        );
      {
        // Both make the authority, or read that of the other.
        await using webhook = webhookAt(port);
        await using second = webhookAt(other);
        await eventually(() => {
          for (const { output } of [webhook, second]) expect(output()).toContain("webhook: converts at port");
        }, WITHIN);
        await eventually(async () => void (await kubectl("apply -f -", EXAMPLE_OF_V1BETA1)), WITHIN);
        const stored = await kubectl("get machinedeployments.v1beta2.cluster.x-k8s.io/d1 -o json");
        expect(JSON.parse(stored).spec.template.spec.deletion).toEqual({ nodeDrainTimeoutSeconds: 600 });
        expect(await kubectl("get secret/capstan-webhook-ca --namespace capstan-system -o name")).toContain(
          "ca",
        );
        expect(`${webhook.output()}${second.output()}`).not.toMatch(/orbidden/);
      }
      const { output } = await runCli("webhook", "--undo", ...kubeconfig);
      expect(output).toContain("machinedeployments.cluster.x-k8s.io: serves no older version");
      const { spec } = JSON.parse(await kubectl(`get ${CRD} -o json`));
      expect(spec.conversion).toEqual({ strategy: "None" });
      expect(spec.versions.map(({ name }: { readonly name: string }) => name)).toEqual(["v1beta2"]);
      await eventually(async () => void (await kubectl("annotate machinedeployment/d1 note=x")), WITHIN);
      expect((await runCli("webhook", "--undo", ...kubeconfig)).output).toContain("nothing to undo");
    });
  },
);
