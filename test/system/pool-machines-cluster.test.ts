import { afterAll, beforeAll, expect, it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { patch } from "../support/foo-workload.ts";
import { simCluster, simPoolWithMachines } from "../support/manifests.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 30_000, stepMs: 200 };
const ALL =
  "clusters,machinepools,machines,simmachinepools,simmachines,siminstances,simclusters,simcontrolplanes";
const DELETING = `jsonpath={.status.conditions[?(@.type=="Deleting")].message}`;

const TEMPLATE = `
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimMachinePoolTemplate
metadata: { name: small, namespace: default }
spec: { template: { metadata: { labels: { size: small } }, spec: { machines: true, bootDelaySeconds: 0 } } }
`;

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `a Cluster whose pools have Machines on ${flavour.name}`,
    () => {
      const stack = new AsyncDisposableStack();
      let kubectl: Kubectl;
      beforeAll(async () => {
        const server = stack.use(await flavour.start());
        kubectl = kubectlFor(server.kubeconfigFile);
        stack.use(await startCapstan(server.kubeconfigFile));
      });
      afterAll(() => stack.disposeAsync());

      it("is deleted after the last Machine of its pools, names it meanwhile, and leaves nothing behind", async () => {
        await kubectl("apply -f -", `${simCluster("c1")}---${simPoolWithMachines("p1", "c1", 2)}`);
        await kubectl("wait machinepool/p1 --for=jsonpath={.status.phase}=Running --timeout=240s");
        await eventually(async () => {
          expect(await kubectl("get machines -o name")).toMatch(/p1-0\n.*p1-1\n/);
        }, WITHIN);

        // A finalizer keeps one Machine longer than its pool.
        const finalizers = JSON.parse(await kubectl("get machine/p1-1 -o json")).metadata.finalizers ?? [];
        await patch(kubectl, "machine/p1-1", {
          metadata: { finalizers: [...finalizers, "example.com/keep"] },
        });
        await kubectl("delete cluster/c1 --wait=false");
        await kubectl("wait machinepool/p1 --for=delete --timeout=240s");
        await eventually(async () => {
          expect(await kubectl(`get cluster/c1 -o '${DELETING}'`)).toBe("* Worker Machines: p1-1");
        }, WITHIN);
        expect(await kubectl("get simcontrolplanes,simclusters -o name")).toContain("simcontrolplane");

        await patch(kubectl, "machine/p1-1", { metadata: { finalizers: null } });
        await kubectl("wait cluster/c1 --for=delete --timeout=240s");
        expect(await kubectl(`get ${ALL} -o name`)).toBe("");
      });

      it("takes the template that a ClusterClass makes simulated pools from, also in a dry run by apply", async () => {
        await kubectl("apply --server-side --dry-run=server -f -", TEMPLATE);
        await kubectl("apply --server-side -f -", TEMPLATE);
        const { spec } = JSON.parse(await kubectl("get simmachinepooltemplate/small -o json"));
        expect(spec.template).toEqual({
          metadata: { labels: { size: "small" } },
          spec: { machines: true, bootDelaySeconds: 0, nodeReadyDelaySeconds: 1 },
        });
        const labels = "jsonpath={.metadata.labels.cluster\\.x-k8s\\.io/v1beta2}";
        const crd = "crd/simmachinepooltemplates.infrastructure.sim.capstan.dev";
        expect(await kubectl(`get ${crd} -o ${labels}`)).toBe("v1beta2");
      });
    },
  );
}
