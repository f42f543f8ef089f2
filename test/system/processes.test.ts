import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { startCli } from "../support/processes/cli.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 90_000, stepMs: 300 };

describeWith(redisMissing() ?? kubectlMissing())("one relay and two workers on Redis", () => {
  it("reach the same result when one worker is killed in the middle", async () => {
    await using redis = await startRedis();
    const dir = await mkdtemp(join(tmpdir(), "capstan-processes-"));
    const kubeconfig = join(dir, "kubeconfig");
    const shared = ["--kubeconfig", kubeconfig, "--queue", redis.url];
    await using world = startCli([
      "up",
      "--roles",
      "apiserver",
      "cloud",
      "--empty",
      "--quiet",
      "--write-kubeconfig",
      kubeconfig,
    ]);
    await eventually(() => expect(world.output()).toContain("kubectl"), WITHIN);
    await using relay = startCli(["relay", ...shared]);
    await using survivor = startCli(["worker", ...shared]);
    await using victim = startCli(["worker", ...shared]);
    await eventually(() => {
      expect(relay.output()).toContain("first list");
      expect(survivor.output()).toContain("serving");
      expect(victim.output()).toContain("serving");
    }, WITHIN);

    const kubectl = kubectlFor(kubeconfig);
    const pools = Array.from({ length: 10 }, (_, index) => `p${index}`);
    await kubectl(
      "apply -f -",
      [simCluster("c1"), ...pools.map((pool) => simPool(pool, "c1", 3))].join("---"),
    );
    await eventually(
      async () =>
        expect(await kubectl("get machinepools -o jsonpath={.items[*].metadata.finalizers}")).not.toBe(""),
      WITHIN,
    );
    victim.child.kill("SIGKILL");

    await eventually(async () => {
      const { items } = JSON.parse(await kubectl("get machinepools -o json")) as {
        items: readonly { status?: { phase?: string; nodeRefs?: readonly object[] } }[];
      };
      expect(items.map(({ status }) => [status?.phase, status?.nodeRefs?.length])).toEqual(
        pools.map(() => ["Running", 3]),
      );
    }, WITHIN);
    await rm(dir, { recursive: true, force: true });
  });
});
