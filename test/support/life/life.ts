import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { eventually } from "../eventually.ts";
import type { Kubectl } from "../processes/kubectl.ts";

const WITHIN = { withinMs: 8 * 60_000, stepMs: 1_000 };
const VERSION = "v1.34.2";
const NEXT = "v1.35.0";
/** Longer than a manager needs to answer the last write of another one. */
const QUIET_MS = 5_000;
const REST_MS = 30_000;

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

/** A step of the life of a Cluster of kubeadm providers: resolves once the world is as the step wants it. */
export interface Step {
  readonly name: string;
  readonly take: (kubectl: Kubectl) => Promise<unknown>;
}

const change = (object: string, spec: object) =>
  `patch ${object} --type=merge -p '${JSON.stringify({ spec })}'`;

export const COMES_UP: Step = {
  name: "comes up",
  async take(kubectl) {
    await kubectl("apply -f -", CLUSTER);
    await runs(kubectl, [VERSION, VERSION, VERSION]);
  },
};

export const UPGRADES: Step = {
  name: "is upgraded",
  async take(kubectl) {
    await kubectl(change("kubeadmcontrolplane/demo", { version: NEXT }));
    await runs(kubectl, [VERSION, VERSION, NEXT]);
    await kubectl(change("machinedeployment/workers", { template: { spec: { version: NEXT } } }));
    await runs(kubectl, [NEXT, NEXT, NEXT]);
  },
};

export const GROWS: Step = {
  name: "grows to six",
  async take(kubectl) {
    await kubectl(change("kubeadmcontrolplane/demo", { replicas: 3 }));
    await kubectl(change("machinedeployment/workers", { replicas: 3 }));
    await runs(kubectl, Array(6).fill(NEXT));
  },
};

export const LOSES: Step = {
  name: "loses a worker",
  async take(kubectl) {
    const [lost = ""] = (
      await kubectl("get machines -l deployment=workers -o jsonpath={.items[*].metadata.name}")
    ).split(" ");
    await kubectl(`delete machine/${lost} --timeout=240s`);
    await runs(kubectl, Array(6).fill(NEXT));
  },
};

export const SHRINKS: Step = {
  name: "shrinks to four",
  async take(kubectl) {
    await kubectl(change("machinedeployment/workers", { replicas: 1 }));
    await runs(kubectl, Array(4).fill(NEXT));
  },
};

export const RESTS: Step = { name: "rests for 30 s", take: () => setTimeout(REST_MS) };

export const ENDS: Step = {
  name: "ends",
  async take(kubectl) {
    await kubectl("delete cluster/demo --timeout=480s");
    expect(await kubectl(`get ${OBJECTS} -o name`)).toBe("");
  },
};

/** The objects of the Cluster. */
const OBJECTS =
  "clusters.cluster.x-k8s.io,machinedeployments,machinesets,machines.cluster.x-k8s.io,kubeadmcontrolplanes,kubeadmconfigs,devclusters,devmachines";

/** Waits until the Cluster is available with Machines of these versions and no others, all of them Running. */
async function runs(kubectl: Kubectl, versions: readonly string[]): Promise<void> {
  await eventually(async () => {
    const read = async <T>(what: string): Promise<T> => JSON.parse(await kubectl(`get ${what} -o json`));
    const { items } = await read<{ readonly items: readonly Machine[] }>("machines.cluster.x-k8s.io");
    const found = items.map(({ status }) => `${status?.phase} ${status?.nodeInfo?.kubeletVersion}`);
    expect(found.toSorted()).toEqual(versions.map((version) => `Running ${version}`).toSorted());
    const { status } = await read<Cluster>("cluster/demo");
    expect(conditionOf(status?.conditions, "Available")?.status).toBe("True");
  }, WITHIN);
}

/** Returns all objects of the life once nothing has changed for a while. */
export async function objectsAtRest(kubectl: Kubectl): Promise<readonly KubeObject[]> {
  const read = async (): Promise<readonly KubeObject[]> =>
    JSON.parse(await kubectl(`get ${OBJECTS} -o json`)).items;
  const versions = (objects: readonly KubeObject[]) =>
    objects.map(({ metadata }) => metadata.resourceVersion);
  return eventually(async () => {
    const before = await read();
    await setTimeout(QUIET_MS);
    const after = await read();
    expect(versions(after)).toEqual(versions(before));
    return after;
  }, WITHIN);
}
