import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { Namespace, Node } from "../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { PersistentVolume, Pod, VolumeAttachment } from "../../shared/api/workload.ts";
import type { EvictionAnswer } from "../../shared/function/evictions.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { sendEvictions } from "../../shared/runtime/write/evictions.ts";
import { evictor } from "../support/evictor.ts";
import { API_SERVERS } from "../support/processes/api-servers.ts";
import { describeWith } from "../support/requires.ts";

const Budget: Kind = {
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
};
const namespace = "apps";

function podOf(name: string, metadata: object = {}): KubeObject {
  const containers = [{ name: "c", image: "i" }];
  const spec = { nodeName: "n1", containers, automountServiceAccountToken: false };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace, ...metadata }, ...{ spec } };
}

/** A Pod that runs and is ready, as its kubelet would say. */
async function runPod(client: KubeClient, name: string, labels: object = {}): Promise<KubeObject> {
  await client.create(Pod, podOf(name, { labels }));
  const value = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  return client.jsonPatch(
    Pod as unknown as Kind,
    { namespace, name },
    [{ op: "add", path: "/status", value }],
    "status",
  );
}

/** Without the name of the Pod, which differs. */
function shapeOf(answer: EvictionAnswer): object {
  return answer.type === "refused"
    ? { message: answer.message, causes: answer.causes }
    : { type: answer.type };
}

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing, flavour)(`evictions on ${flavour.name}`, () => {
    const stack = new AsyncDisposableStack();
    let client: KubeClient;
    beforeAll(async () => {
      const { kubeconfigFile: file } = stack.use(await flavour.start());
      const server = stack.use(createServer(await loadKubeconfig({ file, env: {} }), { clock: systemClock }));
      client = server.as("test");
    });
    afterAll(() => stack.disposeAsync());

    it("are accepted, refused by a budget or by the end of a namespace, or find the Pod gone", async () => {
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const evict = async (object: KubeObject) => {
        const context = {
          clients: { of: () => client },
          clock: systemClock,
          signal: new AbortController().signal,
          function: evictor(),
        };
        const { answers } = await sendEvictions(
          [{ target: refTo(Pod, object), gracePeriodSeconds: 1 }],
          context,
        );
        return shapeOf(answers[0] as EvictionAnswer);
      };

      const [free, guarded, held] = await Promise.all([
        runPod(client, "free"),
        runPod(client, "guarded", { app: "web" }),
        runPod(client, "held"),
      ]);
      const spec = { minAvailable: 1, selector: { matchLabels: { app: "web" } } };
      const budget = {
        apiVersion: "policy/v1",
        kind: Budget.kind,
        metadata: { name: "web", namespace },
        spec,
      };
      await client.create(Budget, budget as KubeObject);
      const status = {
        observedGeneration: 1,
        currentHealthy: 1,
        desiredHealthy: 1,
        disruptionsAllowed: 0,
        expectedPods: 1,
      };
      await client.jsonPatch(
        Budget,
        { namespace, name: "web" },
        [{ op: "add", path: "/status", value: status }],
        "status",
      );

      expect(await evict(free)).toEqual({ type: "accepted" });
      const going = await client.get(Pod, { namespace, name: "free" });
      expect(going?.metadata.deletionTimestamp ?? "gone").toBeTypeOf("string");
      expect(await evict(guarded)).toEqual({
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        causes: [
          {
            reason: "DisruptionBudget",
            message: "The disruption budget web needs 1 healthy pods and has 1 currently",
          },
        ],
      });
      // The refusal pauses nothing.
      expect(await client.get(Pod, { namespace, name: "guarded" })).toMatchObject({ kind: "Pod" });
      expect(await evict({ ...held, metadata: { ...held.metadata, uid: "of-another" } })).toEqual({
        type: "gone",
      });
      expect(await evict(podOf("never", { uid: "u" }))).toEqual({ type: "gone" });

      const found = await client.get(Namespace, { namespace: "", name: namespace });
      await client.delete(Namespace, { namespace: "", name: namespace }, { uid: found?.metadata.uid ?? "" });
      expect(await evict(held)).toMatchObject({
        message: expect.stringContaining("because it is being terminated"),
        causes: [{ reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated` }],
      });
    });

    it("volumes are found by attachment, by handle and on the Node", async () => {
      const volume = (name: string) => ({
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name },
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          csi: { driver: "csi.dev", volumeHandle: `h-${name}` },
          claimRef: { namespace: "apps", name: "data" },
        },
      });
      for (const name of ["v1", "v2"]) await client.create(PersistentVolume, volume(name));
      const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } };
      await client.create(Node, node);
      const attached = [{ name: "kubernetes.io/csi/csi.dev^h-v1", devicePath: "" }];
      const path = "/status/volumesAttached";
      const key = { namespace: "", name: "n1" };
      await client.jsonPatch(Node as unknown as Kind, key, [{ op: "add", path, value: attached }], "status");
      expect((await client.get(Node, key))?.status?.volumesAttached).toMatchObject([
        { name: attached[0]?.name },
      ]);
      await client.create(VolumeAttachment, {
        apiVersion: "storage.k8s.io/v1",
        kind: "VolumeAttachment",
        metadata: { name: "a1" },
        spec: { attacher: "csi.dev", nodeName: "n1", source: { persistentVolumeName: "v1" } },
      } as VolumeAttachment);
      const value = { attached: true };
      await client.jsonPatch(
        VolumeAttachment as unknown as Kind,
        { namespace: "", name: "a1" },
        [{ op: "add", path: "/status", value }],
        "status",
      );
      const where = (path: string, wanted: string) => ({ where: { path, values: [wanted] } });
      const attachments = await client.list(VolumeAttachment, where("spec.nodeName", "n1"));
      expect(attachments.items).toMatchObject([{ metadata: { name: "a1" }, status: { attached: true } }]);
      for (const [field, wanted] of [
        ["metadata.name", "v2"],
        ["spec.csi.volumeHandle", "h-v2"],
      ] as const) {
        const { items } = await client.list(PersistentVolume, where(field, wanted));
        expect(items).toMatchObject([
          {
            metadata: { name: "v2" },
            spec: { volumeMode: "Filesystem", persistentVolumeReclaimPolicy: "Retain" },
            status: { phase: "Pending" },
          },
        ]);
      }
    });
  });
}
