import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { MACHINE_DEPLOYMENT_CRD } from "../support/machine-deployments.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };
const OURS = fileURLToPath(
  new URL("../../infra/platform/crds/generated/cluster.x-k8s.io_machinedeployments.yaml", import.meta.url),
);
const ESTABLISHED = "wait crd --all --for=condition=Established --timeout=240s";

const deployment = (name: string) => `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: { name: ${name}, finalizers: [cluster.x-k8s.io/machinedeployment] }
spec:
  clusterName: c1
  replicas: 1
  selector: { matchLabels: { tier: a } }
  template:
    metadata: { labels: { tier: a } }
    spec:
      clusterName: c1
      bootstrap: { dataSecretName: c1 }
      infrastructureRef: { apiGroup: infrastructure.sim.capstan.dev, kind: SimMachineTemplate, name: c1 }
status: { replicas: 1 }
`;
const REFUSED =
  /Forbidden: Capstan has no controller for MachineDeployments .*; create a MachineSet or a MachinePool instead/;

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(`MachineDeployments on ${flavour.name}`, () => {
    it("are listed and explained, and none is accepted, whatever a request says of its status", async () => {
      await using server = await flavour.start();
      const kubectl = kubectlFor(server.kubeconfigFile);
      await kubectl("apply -f -", await readFile(OURS, "utf8"));
      await kubectl(ESTABLISHED);
      expect(await kubectl("get machinedeployments -A -o name")).toBe("");
      await eventually(async () => {
        expect(await kubectl("explain machinedeployment.spec.rollout")).toContain("strategy");
      }, WITHIN);
      for (const verb of ["create", "create --dry-run=server", "apply", "apply --server-side"]) {
        const { ok, output } = await kubectl.try(`${verb} -f -`, deployment("md-0"));
        expect([verb, ok, REFUSED.test(output)]).toEqual([verb, false, true]);
      }
      expect(await kubectl("get machinedeployments -A -o name")).toBe("");
    });

    it("that Cluster API has left behind can be changed and deleted", async () => {
      await using server = await flavour.start();
      const kubectl = kubectlFor(server.kubeconfigFile);
      await kubectl("apply -f -", MACHINE_DEPLOYMENT_CRD);
      await kubectl(ESTABLISHED);
      await kubectl("create -f -", deployment("md-0"));
      const status = JSON.stringify({ status: { replicas: 1, observedGeneration: 1 } });
      await kubectl(`patch machinedeployment md-0 --subresource=status --type=merge -p '${status}'`);
      await kubectl("apply -f -", await readFile(OURS, "utf8"));
      await eventually(async () => {
        const { output } = await kubectl.try("create --dry-run=server -f -", deployment("md-1"));
        expect(output).toMatch(REFUSED);
      }, WITHIN);
      await kubectl("scale machinedeployment md-0 --replicas 0");
      await kubectl("delete machinedeployment md-0 --wait=false");
      const letGo = JSON.stringify({ metadata: { finalizers: null } });
      await kubectl(`patch machinedeployment md-0 --type=merge -p '${letGo}'`);
      await eventually(
        async () => expect(await kubectl("get machinedeployments -A -o name")).toBe(""),
        WITHIN,
      );
    });
  });
}
