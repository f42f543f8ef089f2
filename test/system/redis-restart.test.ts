import { expect, it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { EMBEDDED } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 90_000, stepMs: 300 };

async function runningPools(kubectl: Kubectl): Promise<readonly string[]> {
  const text = await kubectl(
    "get machinepools -o 'jsonpath={range .items[*]}{.metadata.name}={.status.phase}/{.status.readyReplicas} {end}'",
  );
  return text.trim().split(" ");
}

describeWith(redisMissing() ?? kubectlMissing())("Redis that comes back empty", () => {
  it("is filled again by the relay, and everything converges without help", async () => {
    await using server = await EMBEDDED.start();
    await using redis = await startRedis();
    await using _capstan = await startCapstan(server.kubeconfigFile, {
      queue: redis.url,
      logLevel: "silent",
    });
    const kubectl = kubectlFor(server.kubeconfigFile);

    await kubectl("apply -f -", [simCluster("c1"), simPool("p1", "c1", 2)].join("---"));
    await eventually(async () => expect(await runningPools(kubectl)).toEqual(["p1=Running/2"]), WITHIN);

    await redis.kill();
    await kubectl("apply -f -", simPool("p2", "c1", 1));
    await kubectl("scale machinepool/p1 --replicas=3");
    await redis.restart();

    await eventually(
      async () => expect(await runningPools(kubectl)).toEqual(["p1=Running/3", "p2=Running/1"]),
      WITHIN,
    );
  });
});
