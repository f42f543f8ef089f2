import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { nothingIsWritten } from "../support/nothing-is-written.ts";
import { API_SERVERS } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN_MS = 30_000;
/** A real garbage collector learns of new kinds every 30 s only. */
const GARBAGE_WITHIN_MS = 100_000;

interface NodeList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly annotations?: { readonly [key: string]: string } };
    readonly spec: { readonly taints?: readonly { readonly key: string }[] };
  }[];
}

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(`the main job on ${flavour.name}`, () => {
    it("brings a Cluster and its pool from manifest to Running, follows scaling, and leaves nothing behind", async () => {
      await using server = await flavour.start();
      const kubectl = kubectlFor(server.kubeconfigFile);
      await using capstan = await startCapstan(server.kubeconfigFile);

      await kubectl("apply -f -", `${simCluster("c1")}---${simPool("p1", "c1", 3)}`);
      await kubectl("wait cluster/c1 --for=jsonpath={.status.phase}=Provisioned --timeout=240s");
      await kubectl("wait machinepool/p1 --for=jsonpath={.status.phase}=Running --timeout=240s");
      await kubectl("wait machinepool/p1 --for=condition=Available --timeout=240s");
      await kubectl("wait cluster/c1 --for=condition=Available --timeout=240s");
      const workload = await workloadKubectl(kubectl, "c1");
      await poolHasNodes(kubectl, workload, 3);

      for (const replicas of [5, 1]) {
        await kubectl(`scale machinepool/p1 --replicas=${replicas}`);
        await poolHasNodes(kubectl, workload, replicas);
      }

      await nothingIsWritten(server);

      await kubectl("delete machinepool/p1 --timeout=240s");
      await eventually(async () => expect(await nodesOf(workload)).toHaveLength(0), {
        withinMs: WITHIN_MS,
      });
      await kubectl("delete cluster/c1 --timeout=240s");
      await eventually(
        async () => {
          const left = await kubectl(
            "get clusters,machinepools,simclusters,simcontrolplanes,simmachinepools,simbootstrapconfigs,simservers,siminstances -A -o name",
          );
          expect(left).toBe("");
        },
        { withinMs: WITHIN_MS, stepMs: 200 },
      );
      if (server.garbageCollector) {
        await eventually(async () => expect(await kubectl("get secrets -o name")).toBe(""), {
          withinMs: GARBAGE_WITHIN_MS,
        });
      }
      for (const { spec } of capstan.functions) {
        const idle = { ready: 0, running: 0, dead: 0 };
        await eventually(
          async () => expect(await capstan.queue.depth(spec.name), spec.name).toMatchObject(idle),
          { withinMs: WITHIN_MS },
        );
      }
    });
  });
}

async function workloadKubectl(kubectl: Kubectl, cluster: string): Promise<Kubectl> {
  const encoded = await kubectl(`get secret ${cluster}-kubeconfig -o jsonpath={.data.value}`);
  const dir = testFolder("workload");
  await writeFile(join(dir, "kubeconfig"), Buffer.from(encoded, "base64"), { mode: 0o600 });
  return kubectlFor(join(dir, "kubeconfig"));
}

async function nodesOf(workload: Kubectl): Promise<NodeList["items"]> {
  return (JSON.parse(await workload("get nodes -o json")) as NodeList).items;
}

/** Running with this many nodeRefs; every Node annotated, open for pods, and no other Node there. */
async function poolHasNodes(kubectl: Kubectl, workload: Kubectl, count: number): Promise<void> {
  await eventually(
    async () => {
      const { status } = JSON.parse(await kubectl("get machinepool/p1 -o json")) as {
        status: { phase: string; nodeRefs?: readonly { name: string }[]; replicas: number };
      };
      expect(status.phase).toBe("Running");
      expect(status.nodeRefs ?? []).toHaveLength(count);
      const nodes = await nodesOf(workload);
      expect(nodes.map(({ metadata }) => metadata.name).sort()).toEqual(
        (status.nodeRefs ?? []).map(({ name }) => name).sort(),
      );
      for (const { metadata, spec } of nodes) {
        expect(metadata.annotations).toMatchObject({
          "cluster.x-k8s.io/cluster-name": "c1",
          "cluster.x-k8s.io/cluster-namespace": "default",
          "cluster.x-k8s.io/owner-kind": "MachinePool",
          "cluster.x-k8s.io/owner-name": "p1",
        });
        expect((spec.taints ?? []).map(({ key }) => key)).not.toContain(
          "node.cluster.x-k8s.io/uninitialized",
        );
      }
    },
    { withinMs: WITHIN_MS, stepMs: 200 },
  );
}
