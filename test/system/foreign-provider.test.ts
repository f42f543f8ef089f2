import { expect, it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { FOO_CLUSTER, FOO_PROVIDER } from "../support/foo-provider.ts";
import {
  createKubeconfigSecret,
  patch,
  patchStatus,
  playFooProvider,
  startFooWorkload,
} from "../support/foo-workload.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 30_000, stepMs: 200 };

/** Status and message of one condition: `False Secret default/…`. */
function conditionOf(kubectl: Kubectl, object: string, type: string): Promise<string> {
  const filter = `{.status.conditions[?(@.type=="${type}")]`;
  return kubectl(`get ${object} -o 'jsonpath=${filter}.status} ${filter}.message}'`);
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `a provider without a controller on ${flavour.name}`,
    () => {
      it("reaches Running from a manifest, its CRDs installed while Capstan runs and its status written by hand", async () => {
        await using server = await flavour.start();
        await using workload = await startFooWorkload();
        const kubectl = kubectlFor(server.kubeconfigFile);
        await using _capstan = await startCapstan(server.kubeconfigFile, { roles: ["relay", "worker"] });

        await kubectl("apply -f -", FOO_PROVIDER);
        await kubectl(
          "wait crd/foomachinepools.infrastructure.foo.example.com --for=condition=Established --timeout=240s",
        );
        await kubectl("apply -f -", FOO_CLUSTER);
        await playFooProvider(kubectl, workload);

        await kubectl("wait cluster/foo --for=jsonpath={.status.phase}=Provisioned --timeout=240s");
        await kubectl("wait machinepool/foo-pool --for=jsonpath={.status.phase}=Running --timeout=240s");
        const pool = JSON.parse(await kubectl("get machinepool/foo-pool -o json"));
        expect(pool.status.nodeRefs.map(({ name }: { name: string }) => name)).toEqual(["n1", "n2"]);
        expect(pool.spec.template.spec.bootstrap.dataSecretName).toBe("foo-pool-data");
        const owner = await kubectl(
          "get foomachinepool/foo-pool -o jsonpath={.metadata.ownerReferences[0].kind}",
        );
        expect(owner).toBe("MachinePool");
      });

      it("shows bad provider data and a bad kubeconfig in conditions, and converges once they are repaired", async () => {
        await using server = await flavour.start();
        await using workload = await startFooWorkload();
        const kubectl = kubectlFor(server.kubeconfigFile);
        await using capstan = await startCapstan(server.kubeconfigFile, { roles: ["relay", "worker"] });

        await kubectl(
          "apply -f -",
          FOO_CLUSTER.split("---")
            .filter((text) => text.includes("cluster.x-k8s.io/v1beta2"))
            .join("---"),
        );
        await eventually(async () => {
          expect(await conditionOf(kubectl, "machinepool/foo-pool", "InfrastructureReady")).toContain(
            "FooMachinePool",
          );
        }, WITHIN);

        await kubectl("apply -f -", FOO_PROVIDER);
        await kubectl("wait crd --all --for=condition=Established --timeout=240s");
        await kubectl("apply -f -", FOO_CLUSTER);
        await playFooProvider(kubectl, workload);
        await kubectl("wait machinepool/foo-pool --for=jsonpath={.status.phase}=Running --timeout=240s");

        await patch(kubectl, "foomachinepool/foo-pool", { spec: { providerIDList: "not a list" } });
        await eventually(async () => {
          expect(await conditionOf(kubectl, "machinepool/foo-pool", "InfrastructureReady")).toContain(
            "providerIDList",
          );
        }, WITHIN);
        expect(await kubectl("get machinepool/foo-pool -o jsonpath={.spec.providerIDList}")).toBe(
          '["foo://n1","foo://n2"]',
        );
        expect(await workload.kubectl("get nodes -o name")).toBe("node/n1\nnode/n2\n");
        await patch(kubectl, "foomachinepool/foo-pool", {
          spec: { providerIDList: ["foo://n1", "foo://n2"] },
        });
        await eventually(async () => {
          expect(await conditionOf(kubectl, "machinepool/foo-pool", "InfrastructureReady")).toMatch(/^True/);
        }, WITHIN);

        const garbage = Buffer.from("{ this is: no kubeconfig").toString("base64");
        await patch(kubectl, "secret/foo-kubeconfig", { data: { value: garbage } });
        await eventually(async () => {
          const connection = await capstan.store.get(
            { cluster: "management", group: "capstan.dev", kind: "Connection" },
            { namespace: "default", name: "foo" },
          );
          expect(JSON.stringify(connection)).toContain("foo-kubeconfig");
        }, WITHIN);
        expect(await workload.kubectl("get nodes -o name")).toBe("node/n1\nnode/n2\n");
        await kubectl("delete secret foo-kubeconfig");
        await createKubeconfigSecret(kubectl, workload.kubeconfigFile);
        await patchStatus(kubectl, "foomachinepool/foo-pool", { replicas: 1 });
        await patch(kubectl, "foomachinepool/foo-pool", { spec: { providerIDList: ["foo://n1"] } });
        await eventually(
          async () => expect(await workload.kubectl("get nodes -o name")).toBe("node/n1\n"),
          WITHIN,
        );
      });
    },
  );
}
