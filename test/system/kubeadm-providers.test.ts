import { join } from "node:path";
import { expect, it } from "vitest";
import type { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { kubeadmProvidersMissing, startKubeadmProviders } from "../support/processes/kubeadm-providers.ts";
import { type Kubectl, kubectlFor } from "../support/processes/kubectl.ts";
import { realServerMissing, startRealServer } from "../support/processes/real-server.ts";
import { describeWith } from "../support/requires.ts";

const ASSETS = process.env["KUBEBUILDER_ASSETS"] ?? "";
const WITHIN = { withinMs: 8 * 60_000, stepMs: 1_000 };
const VERSION = "v1.34.2";
const NEXT = "v1.35.0";

const machines = (name: string) => `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DevMachineTemplate
metadata: { name: ${name}, namespace: default }
spec: { template: { spec: { backend: { inMemory: {} } } } }
---`;

const CLUSTER = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: demo, namespace: default }
spec:
  clusterNetwork:
    services: { cidrBlocks: [10.128.0.0/12] }
    pods: { cidrBlocks: [192.168.0.0/16] }
    serviceDomain: cluster.local
  infrastructureRef: { apiGroup: infrastructure.cluster.x-k8s.io, kind: DevCluster, name: demo }
  controlPlaneRef: { apiGroup: controlplane.cluster.x-k8s.io, kind: KubeadmControlPlane, name: demo }
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DevCluster
metadata: { name: demo, namespace: default }
spec: { backend: { inMemory: {} } }
---${machines("control-plane")}
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: KubeadmControlPlane
metadata: { name: demo, namespace: default }
spec:
  replicas: 1
  version: ${VERSION}
  machineTemplate:
    spec:
      infrastructureRef:
        { apiGroup: infrastructure.cluster.x-k8s.io, kind: DevMachineTemplate, name: control-plane }
  kubeadmConfigSpec:
    clusterConfiguration: { apiServer: { certSANs: [localhost, 127.0.0.1] } }
    initConfiguration: { nodeRegistration: { criSocket: "unix:///var/run/containerd/containerd.sock" } }
    joinConfiguration: { nodeRegistration: { criSocket: "unix:///var/run/containerd/containerd.sock" } }
---${machines("worker")}
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfigTemplate
metadata: { name: worker, namespace: default }
spec:
  template:
    spec:
      joinConfiguration: { nodeRegistration: { criSocket: "unix:///var/run/containerd/containerd.sock" } }
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: { name: workers, namespace: default }
spec:
  clusterName: demo
  replicas: 2
  selector: { matchLabels: { deployment: workers } }
  template:
    metadata: { labels: { deployment: workers } }
    spec:
      clusterName: demo
      version: ${VERSION}
      bootstrap:
        configRef: { apiGroup: bootstrap.cluster.x-k8s.io, kind: KubeadmConfigTemplate, name: worker }
      infrastructureRef:
        { apiGroup: infrastructure.cluster.x-k8s.io, kind: DevMachineTemplate, name: worker }
`;

const patch = (spec: object) => JSON.stringify({ spec });

/** Waits until the Cluster is available with Machines of these versions and no others, all of them Running. */
async function runs(kubectl: Kubectl, versions: readonly string[]): Promise<void> {
  await eventually(async () => {
    const read = async <T>(what: string): Promise<T> => JSON.parse(await kubectl(`get ${what} -o json`));
    const { items } = await read<{ readonly items: readonly Machine[] }>("machines.cluster.x-k8s.io");
    const found = items.map(({ status }) => `${status?.phase} ${status?.nodeInfo?.kubeletVersion}`);
    expect(found.toSorted()).toEqual(versions.map((version) => `Running ${version}`));
    const { status } = await read<Cluster>("cluster/demo");
    expect(conditionOf(status?.conditions, "Available")?.status).toBe("True");
  }, WITHIN);
}

describeWith(realServerMissing(ASSETS) ?? kubeadmProvidersMissing(), { optional: true })(
  "a Cluster of Cluster API's own kubeadm providers, with Capstan as the only core",
  () => {
    it("comes up, is upgraded and ends", async () => {
      await using stack = new AsyncDisposableStack();
      const { kubeconfigFile } = stack.use(await startRealServer(ASSETS));
      const kubectl = kubectlFor(kubeconfigFile);
      stack.use(await startCapstan(kubeconfigFile, { roles: ["relay", "worker"] }));
      stack.use(await startKubeadmProviders(kubeconfigFile, join(ASSETS, "kubectl")));
      await kubectl("apply -f -", CLUSTER);
      await runs(kubectl, [VERSION, VERSION, VERSION]);

      await kubectl(`patch kubeadmcontrolplane/demo --type=merge -p '${patch({ version: NEXT })}'`);
      await runs(kubectl, [VERSION, VERSION, NEXT]);

      const template = { spec: { version: NEXT } };
      await kubectl(`patch machinedeployment/workers --type=merge -p '${patch({ template })}'`);
      await runs(kubectl, [NEXT, NEXT, NEXT]);

      await kubectl("delete cluster/demo --timeout=480s");
      const left =
        "machines.cluster.x-k8s.io,machinesets,machinedeployments,kubeadmcontrolplanes,kubeadmconfigs,devmachines,devclusters";
      expect(await kubectl(`get ${left} -o name`)).toBe("");
    });
  },
);
