import { afterAll, beforeAll, expect, it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { FOO_CLUSTER, FOO_MACHINE_PROVIDER, FOO_PROVIDER } from "../support/foo-provider.ts";
import { patch, patchStatus } from "../support/foo-workload.ts";
import { ownNamespace } from "../support/own-namespace.ts";
import { JUDGES, type TestServer } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 30_000, stepMs: 200 };
const GROUP = "infrastructure.foo.example.com";
const POOL = "machinepool/foo-pool";
const MACHINE = "machines.cluster.x-k8s.io/foo-m1";

const FOO_MACHINE = `
apiVersion: ${GROUP}/v1
kind: FooMachine
metadata:
  name: foo-m1
  labels: { cluster.x-k8s.io/cluster-name: foo, cluster.x-k8s.io/pool-name: foo-pool }
spec: { providerID: "foo://n1" }
`;

function uidOf(kubectl: Kubectl, object: string): Promise<string> {
  return kubectl(`get ${object} -o jsonpath={.metadata.uid}`);
}

/** The Machine as Cluster API's own controller applies it. */
function appliedUpstream(poolUid: string): string {
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: foo-m1
  labels: { cluster.x-k8s.io/cluster-name: foo, cluster.x-k8s.io/pool-name: foo-pool, tier: a }
  ownerReferences:
    - { apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, name: foo-pool, uid: ${poolUid}, controller: true, blockOwnerDeletion: true }
spec:
  clusterName: foo
  bootstrap: { dataSecretName: "" }
  infrastructureRef: { apiGroup: ${GROUP}, kind: FooMachine, name: foo-m1 }
`;
}

const HANDED_OVER = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: { name: foo-m1 }
status:
  conditions:
    - { type: HealthCheckSucceeded, status: "False", reason: NodeNotReady, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }
    - { type: OwnerRemediated, status: "False", reason: WaitingForRemediation, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }
`;

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `Machines of a provider that Capstan does not know on ${flavour.name}`,
    () => {
      const stack = new AsyncDisposableStack();
      let server: TestServer;
      beforeAll(async () => {
        server = stack.use(await flavour.start());
        // Only for the CRDs.
        await (await startCapstan(server.kubeconfigFile, { roles: [] }))[Symbol.asyncDispose]();
        const kubectl = kubectlFor(server.kubeconfigFile);
        await kubectl("apply -f -", `${FOO_PROVIDER}---${FOO_MACHINE_PROVIDER}`);
        await kubectl("wait --for=condition=Established crd --all --timeout=240s");
      });
      afterAll(() => stack.disposeAsync());

      it("follow a machine kind that is named while Capstan runs, and are remediated unless the pool says otherwise", async () => {
        const { kubectl, apply } = await ownNamespace(server.kubeconfigFile, "named");
        await using _capstan = await startCapstan(server.kubeconfigFile, { roles: ["relay", "worker"] });
        await apply(`${FOO_CLUSTER}---${FOO_MACHINE}`);
        await patchStatus(kubectl, "foomachinepool/foo-pool", { infrastructureMachineKind: "FooMachine" });
        const first = await eventually(() => uidOf(kubectl, MACHINE), WITHIN);
        await kubectl(`wait ${MACHINE} --for=condition=UpToDate --timeout=240s`);

        await kubectl(`annotate ${POOL} capstan.dev/remediation-max-in-flight=0`);
        await kubectl("apply --server-side --field-manager=check --subresource=status -f -", HANDED_OVER);
        await kubectl(`wait ${POOL} --for=condition=Remediating --timeout=240s`);
        expect(await uidOf(kubectl, MACHINE)).toBe(first);
        await kubectl(`annotate ${POOL} capstan.dev/remediation-max-in-flight-`);
        // A Machine takes its infrastructure machine with it: a provider makes another instance, this one is not there.
        await kubectl(`wait ${MACHINE} --for=delete --timeout=240s`);
        expect(await kubectl("get foomachines -o name")).toBe("");
        await kubectl(`wait ${POOL} --for=condition=Remediating=False --timeout=240s`);
      });

      it("are taken over from Cluster API's controller, so that a label that leaves the template leaves them", async () => {
        const { kubectl, apply } = await ownNamespace(server.kubeconfigFile, "taken-over");
        await apply(`${FOO_CLUSTER}---${FOO_MACHINE}`);
        await patchStatus(kubectl, "foomachinepool/foo-pool", { infrastructureMachineKind: "FooMachine" });
        await patch(kubectl, POOL, { spec: { template: { metadata: { labels: { tier: "a" } } } } });
        const upstream = "apply --server-side --field-manager=machinepool-controller -f -";
        await kubectl(upstream, appliedUpstream(await uidOf(kubectl, POOL)));

        await using _capstan = await startCapstan(server.kubeconfigFile, {
          roles: ["relay", "worker"],
          takeOverManagers: ["machinepool-controller"],
        });
        await eventually(async () => {
          const managers = await kubectl(
            `get ${MACHINE} --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}`,
          );
          expect(managers).toContain("capstan-machinepool-machines");
          expect(managers).not.toContain("machinepool-controller");
        }, WITHIN);
        await patch(kubectl, POOL, { spec: { template: { metadata: null } } });
        await eventually(
          async () =>
            expect(await kubectl(`get ${MACHINE} -o jsonpath={.metadata.labels}`)).not.toContain("tier"),
          WITHIN,
        );
        expect(await kubectl(`get ${MACHINE} -o jsonpath={.metadata.labels}`)).toContain("pool-name");
      });
    },
  );
}
