import { afterAll, beforeAll, expect, it } from "vitest";
import type { Machine } from "../../shared/api/machine/machine.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually, holds } from "../support/eventually.ts";
import { FOO_CLUSTER, FOO_MACHINE_PROVIDER, FOO_PROVIDER, fooNode } from "../support/foo-provider.ts";
import { createKubeconfigSecret, patch, patchStatus } from "../support/foo-workload.ts";
import { anywhere, ownNamespace } from "../support/own-namespace.ts";
import { JUDGES, type TestServer } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

/** The drain looks at Pods and volumes every 20 s. */
const WITHIN = { withinMs: 120_000, stepMs: 300 };

/** Machine m1 with its infrastructure machine, whose instance is this Node. */
const machineOn = (node: string) => `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: { name: m1, namespace: default }
spec:
  clusterName: foo
  version: v1.34.2
  bootstrap: { dataSecretName: by-hand }
  infrastructureRef: { apiGroup: infrastructure.foo.example.com, kind: FooMachine, name: m1 }
---
apiVersion: infrastructure.foo.example.com/v1
kind: FooMachine
metadata: { name: m1, namespace: default }
spec: { size: small, providerID: "foo://${node}" }
`;

/** A Pod on this Node, and a budget for it. */
const podOn = (node: string) => `
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: default, labels: { app: web } }
spec:
  nodeName: ${node}
  automountServiceAccountToken: false
  containers: [{ name: c, image: i }]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web, namespace: default }
spec: { minAvailable: 1, selector: { matchLabels: { app: web } } }
`;

const volumeOn = (node: string) => `
apiVersion: v1
kind: PersistentVolume
metadata: { name: v1 }
spec:
  capacity: { storage: 1Gi }
  accessModes: [ReadWriteOnce]
  csi: { driver: csi.dev, volumeHandle: h1 }
  claimRef: { namespace: ${node}, name: data }
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: { name: a1 }
spec: { attacher: csi.dev, nodeName: ${node}, source: { persistentVolumeName: v1 } }
`;

const RULE = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDrainRule
metadata: { name: web, namespace: default }
spec:
  drain: { behavior: Skip }
  pods: [{ selector: { matchLabels: { not a key: a } } }]
`;

interface Servers {
  readonly management: TestServer;
  readonly remote: TestServer;
}

/**
 * In a namespace of its own: cluster foo with Machine m1, Running as the Node of that name, on which Pod web runs that a
 * budget protects. Returns kubectl for the management cluster and for the workload cluster.
 */
async function startMachine({ management, remote }: Servers, name: string) {
  const { kubectl, apply } = await ownNamespace(management.kubeconfigFile, name);
  const { kubectl: workload, apply: applyRemote } = await ownNamespace(remote.kubeconfigFile, name);
  await apply(FOO_CLUSTER.split("---").slice(0, 3).join("---"));
  await createKubeconfigSecret(kubectl, remote.kubeconfigFile);
  await patchStatus(kubectl, "foocluster/foo", { initialization: { provisioned: true } });
  await patchStatus(kubectl, "foocontrolplane/foo-cp", {
    externalManagedControlPlane: true,
    initialization: { controlPlaneInitialized: true },
  });
  await applyRemote(fooNode(name));
  const ready = { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
  await patchStatus(workload, `node/${name}`, { conditions: [ready] });
  await applyRemote(podOn(name));
  await patchStatus(workload, "pod/web", {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True" }],
  });
  await allowDisruptions(workload, 0);
  await apply(machineOn(name));
  await patchStatus(kubectl, "foomachine/m1", { initialization: { provisioned: true } });
  await kubectl("wait machine/m1 --for=jsonpath={.status.phase}=Running --timeout=240s");
  return { kubectl, workload };
}

function allowDisruptions(workload: Kubectl, disruptionsAllowed: number): Promise<string> {
  const counts = { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
  return patchStatus(workload, "poddisruptionbudget/web", { ...counts, disruptionsAllowed });
}

async function machineOf(kubectl: Kubectl): Promise<Machine> {
  return JSON.parse(await kubectl("get machine/m1 -o json"));
}

async function deletingOf(kubectl: Kubectl): Promise<{ reason: string; message: string }> {
  const { status } = await machineOf(kubectl);
  const { reason = "", message = "" } = status?.conditions?.find(({ type }) => type === "Deleting") ?? {};
  return { reason, message };
}

async function isCordoned(workload: Kubectl, node: string): Promise<boolean> {
  return JSON.parse(await workload(`get node/${node} -o json`)).spec.unschedulable === true;
}

/** Number of Events of the Machine by reason. */
async function eventsOf(kubectl: Kubectl): Promise<{ readonly [reason: string]: number }> {
  const { items } = JSON.parse(await kubectl("get events --field-selector involvedObject.name=m1 -o json"));
  const counts = Map.groupBy(items as readonly { readonly reason: string }[], ({ reason }) => reason);
  return Object.fromEntries([...counts].map(([reason, events]) => [reason, events.length]));
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `a deleted Machine on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let servers: Servers;
      beforeAll(async () => {
        servers = { management: stack.use(await flavour.start()), remote: stack.use(await flavour.start()) };
        const { kubeconfigFile } = servers.management;
        stack.use(await startCapstan(kubeconfigFile, { roles: ["relay", "worker"] }));
        const kubectl = kubectlFor(kubeconfigFile);
        await kubectl("apply -f -", `${FOO_PROVIDER}---${FOO_MACHINE_PROVIDER}`);
        await kubectl("wait crd --all --for=condition=Established --timeout=240s");
      });
      afterAll(() => stack.disposeAsync());

      it("is drained: a budget of 0 holds it and is named; then volumes, Node and Machine go", async () => {
        const { kubectl, workload } = await startMachine(servers, "drained");
        await workload("create -f -", volumeOn("drained"));
        await patchStatus(workload, "volumeattachment/a1", { attached: true });
        await kubectl("delete machine/m1 --wait=false");
        await eventually(async () => {
          expect(await deletingOf(kubectl)).toEqual({
            reason: "DrainingNode",
            message: expect.stringMatching(
              /^Drain not completed yet \(started at \S+\):\n\* Pod drained\/web: cannot evict pod as it would violate the pod's disruption budget\. The disruption budget web needs 1 healthy pods and has 1 currently$/,
            ),
          });
        }, WITHIN);
        expect(await isCordoned(workload, "drained")).toBe(true);
        const held = await machineOf(kubectl);
        expect(held.status?.deletion?.nodeDrainStartTime).toBeDefined();
        await kubectl("wait machine/m1 --for=jsonpath={.status.phase}=Deleting --timeout=240s");

        await allowDisruptions(workload, 1);
        await eventually(async () => {
          const pod = await workload("get pod/web -o json --ignore-not-found");
          expect(pod === "" || JSON.parse(pod).metadata.deletionTimestamp !== undefined).toBe(true);
        }, WITHIN);
        // As its kubelet would, once its containers have ended; the embedded server ends Pods itself.
        await workload("delete pod/web --grace-period=0 --force --ignore-not-found");
        await eventually(async () => {
          expect(await deletingOf(kubectl)).toEqual({
            reason: "WaitingForVolumeDetach",
            message: expect.stringMatching(
              /^Waiting for Node volumes to be detached \(started at \S+\)\n\* PersistentVolumeClaims: drained\/data$/,
            ),
          });
        }, WITHIN);
        const events = await eventsOf(kubectl);
        expect(events).toMatchObject({ SuccessfulDrainNode: 1 });
        expect(events["NodeVolumesDetached"]).toBeUndefined();
        const waiting = await machineOf(kubectl);
        expect(waiting.status?.deletion?.nodeDrainStartTime).toBe(held.status?.deletion?.nodeDrainStartTime);

        await patchStatus(workload, "volumeattachment/a1", { attached: false });
        await kubectl("wait machine/m1 --for=delete --timeout=240s");
        expect(await workload("get node/drained -o name --ignore-not-found")).toBe("");
        expect(await kubectl("get foomachines -o name")).toBe("");
        expect(await eventsOf(kubectl)).toMatchObject({ SuccessfulDrainNode: 1, NodeVolumesDetached: 1 });
      });

      it("hooks hold it, a broken rule is named, and a timeout that is set meanwhile counts", async () => {
        const { kubectl, workload } = await startMachine(servers, "held");
        const hooks = {
          "pre-drain.delete.hook.machine.cluster.x-k8s.io/a": "",
          "pre-terminate.delete.hook.machine.cluster.x-k8s.io/b": "",
        };
        await patch(kubectl, "machine/m1", { metadata: { annotations: hooks } });
        await kubectl("create -f -", anywhere(RULE));
        await kubectl("delete machine/m1 --wait=false");
        await eventually(async () => {
          expect((await deletingOf(kubectl)).reason).toBe("WaitingForPreDrainHook");
        }, WITHIN);
        await holds(async () => expect(await isCordoned(workload, "held")).toBe(false), {
          forMs: 2_000,
          stepMs: 300,
        });
        const [before = "", behind = ""] = Object.keys(hooks);
        await patch(kubectl, "machine/m1", { metadata: { annotations: { [before]: null } } });
        await eventually(async () => {
          expect((await deletingOf(kubectl)).message).toMatch(
            /^Error draining Node, MachineDrainRule held\/web: spec\.pods\[0\]\.selector\.matchLabels has the key not a key/,
          );
        }, WITHIN);
        expect(await isCordoned(workload, "held")).toBe(true);
        expect(await eventsOf(kubectl)).toMatchObject({ FailedDrainNode: 1 });

        await patch(kubectl, "machine/m1", { spec: { deletion: { nodeDrainTimeoutSeconds: 1 } } });
        await eventually(async () => {
          expect((await deletingOf(kubectl)).reason).toBe("WaitingForPreTerminateHook");
        }, WITHIN);
        // The Pod was given up, not evicted.
        expect(JSON.parse(await workload("get pod/web -o json")).metadata.deletionTimestamp).toBeUndefined();
        expect((await eventsOf(kubectl))["SuccessfulDrainNode"]).toBeUndefined();
        await patch(kubectl, "machine/m1", { metadata: { annotations: { [behind]: null } } });
        await kubectl("wait machine/m1 --for=delete --timeout=240s");
      });
    },
  );
}
