import { expect, it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN_MS = 120_000;

interface PoolStatus {
  readonly phase?: string;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly nodeRefs?: readonly { readonly name: string }[];
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(`a large pool on ${flavour.name}`, () => {
    it("brings 200 instances to Running, goes to 100, to zero and back, with at most one status write a second", async () => {
      await using server = await flavour.start();
      const kubectl = kubectlFor(server.kubeconfigFile);
      await using capstan = await startCapstan(server.kubeconfigFile);
      const startedAt = performance.now();

      await kubectl("apply -f -", `${simCluster("c1")}---${simPool("p1", "c1", 200)}`);
      const first = await poolHas(kubectl, 200);
      for (const replicas of [100, 0, 200]) {
        await kubectl(`scale machinepool/p1 --replicas=${replicas}`);
        const status = await poolHas(kubectl, replicas);
        // Nodes that stay are not replaced.
        const kept = (status.nodeRefs ?? []).filter(({ name }) => nameOf(first).has(name));
        if (replicas === 100) expect(kept).toHaveLength(100);
      }

      const seconds = (performance.now() - startedAt) / 1_000;
      const statusWrites = (await server.requests()).filter(
        ({ userAgent, verb, subresource }) =>
          userAgent.endsWith(" machinepool-status") && verb === "patch" && subresource === "status",
      );
      expect(statusWrites.length).toBeLessThanOrEqual(seconds + 1);
      for (const { spec } of capstan.functions) {
        expect(await capstan.queue.dead(spec.name), spec.name).toEqual([]);
      }
    });
  });
}

function nameOf({ nodeRefs = [] }: PoolStatus): ReadonlySet<string> {
  return new Set(nodeRefs.map(({ name }) => name));
}

/** Running with as many instances and refs, and no more: a ref goes only once its Node is gone. */
async function poolHas(kubectl: Kubectl, count: number): Promise<PoolStatus> {
  return eventually(
    async () => {
      const { status } = JSON.parse(await kubectl("get machinepool/p1 -o json")) as { status: PoolStatus };
      const { phase, replicas, readyReplicas, nodeRefs = [] } = status;
      expect({ phase, replicas, readyReplicas, refs: nameOf(status).size }).toEqual({
        phase: "Running",
        replicas: count,
        readyReplicas: count,
        refs: count,
      });
      expect(nodeRefs).toHaveLength(count);
      return status;
    },
    { withinMs: WITHIN_MS, stepMs: 250 },
  );
}
