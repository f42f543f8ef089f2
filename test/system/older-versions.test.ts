import { expect, it } from "vitest";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { startOwnWebhook } from "../../infra/cli/own-webhook.ts";
import { systemClock as clock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { eventually } from "../support/eventually.ts";
import { EXAMPLE_OF_V1BETA1 } from "../support/older/example.ts";
import { API_SERVERS } from "../support/processes/api-servers.ts";
import { startCli } from "../support/processes/cli.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { silentLog as log } from "../support/silent-log.ts";

const OLDER = "machinedeployments.v1beta1.cluster.x-k8s.io/d1";
const WITHIN = { withinMs: 60_000, stepMs: 200 };

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(`objects of v1beta1 on ${flavour.name}`, () => {
    it("are applied on either side, read in both versions, and survive a webhook that ends and comes back", async () => {
      await using api = await flavour.start();
      const kubectl = kubectlFor(api.kubeconfigFile);
      const access = await loadKubeconfig({ file: api.kubeconfigFile, env: {} });
      using server = createServer(access, { clock, log, version: "test" });
      await installCrds(server.as("up"), clock);
      const webhook = await startOwnWebhook(server, { clock, log });
      const port = webhook?.port ?? 0;
      await eventually(async () => void (await kubectl("get clusters.v1beta1.cluster.x-k8s.io")), WITHIN);

      await kubectl("apply -f -", EXAMPLE_OF_V1BETA1);
      await kubectl("apply -f -", EXAMPLE_OF_V1BETA1);
      await kubectl("apply --server-side --force-conflicts --field-manager=gitops -f -", EXAMPLE_OF_V1BETA1);
      const present = JSON.parse(await kubectl("get machinedeployments.v1beta2.cluster.x-k8s.io/d1 -o json"));
      expect(present.spec).toMatchObject({
        rollout: { strategy: { rollingUpdate: { maxSurge: 1 } } },
        template: {
          spec: {
            deletion: { nodeDrainTimeoutSeconds: 600 },
            infrastructureRef: { apiGroup: "infrastructure.example.com", kind: "Unknown", name: "t1" },
          },
        },
      });
      const older = JSON.parse(await kubectl(`get ${OLDER} -o json`));
      expect(older.spec).toMatchObject({
        strategy: { rollingUpdate: { maxSurge: 1 } },
        template: {
          spec: {
            nodeDrainTimeout: "10m0s",
            infrastructureRef: { apiVersion: "infrastructure.example.com/v1beta1", name: "t1" },
          },
        },
      });

      await kubectl(`patch ${OLDER} --type=merge -p`.concat(` {"spec":{"replicas":5}}`));
      await kubectl(`patch machinedeployment/d1 --type=merge -p {"spec":{"paused":false}}`);
      await kubectl(`annotate ${OLDER} note=x`);
      const both = JSON.parse(await kubectl("get machinedeployment/d1 -o json"));
      expect(both.spec).toMatchObject({ replicas: 5, paused: false });
      expect(both.metadata.annotations).not.toHaveProperty("cluster.x-k8s.io/conversion-data");

      await webhook?.[Symbol.asyncDispose]();
      await kubectl("create -f -", NEWER);
      expect(await kubectl("get cluster/c2 -o name")).toContain("c2");
      await expect(kubectl("create -f -", EXAMPLE_OF_V1BETA1.replaceAll("c1", "c3"))).rejects.toThrow();
      await using again = await startOwnWebhook(server, { clock, log, port });
      await eventually(async () => {
        await kubectl(`patch ${OLDER} --type=merge -p {"spec":{"replicas":6}}`);
      }, WITHIN);
      expect(again?.port).toBe(port);
      expect(await kubectl("get machinedeployment/d1 -o jsonpath={.spec.replicas}")).toBe("6");
    });

    it("are served while `capstan up` runs, and by nothing that is gone afterwards", async () => {
      await using api = await flavour.start();
      const kubectl = kubectlFor(api.kubeconfigFile);
      const up = startCli(["up", "--kubeconfig", api.kubeconfigFile, "--install-crds", "--empty", "--quiet"]);
      await using _up = up;
      await eventually(async () => void (await kubectl("get clusters.v1beta1.cluster.x-k8s.io")), WITHIN);
      const written = (await api.requests())
        .filter(({ verb, resource }) => verb === "patch" && resource === "customresourcedefinitions")
        .map(({ name }) => name);
      expect(written).toContain("clusters.cluster.x-k8s.io");
      expect(written).toEqual([...new Set(written)]);
      up.child.kill("SIGTERM");
      expect(await up.ended, up.output()).toBe(0);
      const crds = JSON.parse(await kubectl("get crds -o json")).items as readonly Served[];
      const stale = crds.filter(
        ({ spec }) => spec.conversion.strategy !== "None" || spec.versions.length > 1,
      );
      expect(stale).toEqual([]);
    });
  });
}

interface Served {
  readonly spec: { readonly conversion: { readonly strategy: string }; readonly versions: readonly object[] };
}

const NEWER = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: c2 }
spec:
  infrastructureRef: { apiGroup: infrastructure.example.com, kind: Unknown, name: c2 }
`;
