import { join } from "node:path";
import { expect, it } from "vitest";
import type { Fleet } from "../../infra/console/api/fleet.ts";
import type { Me } from "../../infra/console/api/me.ts";
import type { ClusterAnswer } from "../../infra/console/api/object.ts";
import type { ExplainedTree } from "../../infra/operate/explain/explain-tree.ts";
import { openClient } from "../support/console-client.ts";
import { eventually } from "../support/eventually.ts";
import { simCluster, simMachineSet, simPool } from "../support/manifests.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN = { withinMs: 120_000, stepMs: 500 };

interface Tree {
  readonly functions: readonly { readonly now: { readonly wouldSend: readonly string[] } }[];
  readonly children: readonly Tree[];
}

function functionsIn(node: Tree): Tree["functions"] {
  return [...node.functions, ...node.children.flatMap(functionsIn)];
}

/** As the first thing to mend. */
const AWAY = {
  cause: expect.stringMatching(/^relay away since \S+Z: nothing below is newer/),
  next: expect.stringMatching(/^start a relay/),
};

describeWith(redisMissing() ?? kubectlMissing())("parts that are away", () => {
  it("give no comfort: a relay, then a worker, then Redis are killed, and every place says so", async () => {
    await using stack = new AsyncDisposableStack();
    const dir = testFolder("away");
    const kubeconfig = join(dir, "kubeconfig");
    const redis = await startRedis();
    const ending = stack.use(new AsyncDisposableStack());
    ending.use(redis);
    const shared = ["--kubeconfig", kubeconfig, "--queue", redis.url];
    const start = (...args: readonly string[]) => stack.use(startCli(args));
    const world = start(
      "up",
      "--roles",
      "apiserver",
      "cloud",
      "--empty",
      "--quiet",
      "--write-kubeconfig",
      kubeconfig,
    );
    await eventually(() => expect(world.output()).toContain("kubectl"), WITHIN);
    const startRelay = () => start("relay", ...shared);
    const relay = startRelay();
    await eventually(() => expect(relay.output()).toContain("first list"), WITHIN);
    const sets = start("worker", ...shared, "--functions", "machineset-machines");
    start(
      "worker",
      ...shared,
      "--functions",
      "cluster-*",
      "clusterresourceset-*",
      "machine-*",
      "machinepool-*",
      "machineset-[!m]*",
      "sim-*",
    );
    const console = start("console", ...shared, "--address", "127.0.0.1:0");
    const kubectl = kubectlFor(kubeconfig);
    await kubectl(
      "apply -f -",
      [simCluster("c1"), simPool("p1", "c1", 3), simMachineSet("s1", "c1", 1)].join("---"),
    );
    await kubectl(
      "wait machinepool/p1 machineset/s1 --for=jsonpath={.status.availableReplicas} --timeout=240s",
    );
    await kubectl("wait cluster/c1 --for=condition=Available --timeout=240s");
    const [, link = ""] = await eventually(() => {
      const found = /console: (http:\S+)/.exec(console.output());
      if (found === null) throw new Error(`no link yet: ${console.output()}`);
      return found;
    }, WITHIN);
    const client = await openClient(link);
    const fleet = () => client.read<Fleet>("fleet");
    await eventually(async () => expect((await fleet()).items).toMatchObject([{ state: "healthy" }]), WITHIN);
    expect((await client.read<Me>("me")).stale).toBeUndefined();

    relay.child.kill("SIGKILL");
    await kubectl("scale machinepool/p1 --replicas=5");
    await kubectl("delete machineset/s1 --wait=false");
    const away = expect.stringMatching(/^relay away since \S+Z: nothing below is newer.*; start a relay$/);
    await eventually(async () => {
      expect((await client.read<Me>("me")).stale).toMatchObject([
        { since: expect.any(String), reason: away },
      ]);
      expect(await fleet()).toMatchObject({
        items: [{ state: "unknown", reason: away }],
        stale: [{ reason: away }],
      });
    }, WITHIN);
    for (const topic of [
      "clusters/default/c1",
      "objects/MachinePool/default/p1",
      "objects/MachineSet/default/s1",
    ]) {
      const { tree, causes, stale } = await client.read<ClusterAnswer>(topic);
      expect([causes[0], stale?.[0], tree.old]).toMatchObject([
        { about: "freshness", ...AWAY },
        { reason: away },
        away,
      ]);
      for (const { now } of functionsIn(tree)) expect(now).toEqual({ wouldSend: [], old: away });
    }
    for (const topic of ["relay", "queue", "letters", "clusters/default/c1/runs"])
      expect(await client.read(topic)).toMatchObject({ stale: [{ reason: away }] });

    const explain = async (kind: string, name: string) => {
      const reported = await runCli("explain", kind, name, ...shared, "-o", "json");
      const text = await runCli("explain", kind, name, ...shared);
      expect([reported.code, text.code], text.output).toEqual([0, 0]);
      expect(text.output).toMatch(/^.*\n\S* *! relay away since .*\n.*→ start a relay\n/);
      expect(text.output).not.toMatch(/^(?!.*last run).*nothing to do/m);
      return JSON.parse(reported.output) as ExplainedTree;
    };
    // The judged object is read live: five are wanted, and the set goes.
    const pool = await explain("machinepool", "p1");
    expect(pool).toMatchObject({ asOf: expect.any(String), nodes: "3 of 5", causes: [AWAY] });
    expect(functionsIn(pool).flatMap(({ now }) => now.wouldSend)).not.toEqual([]);
    expect(await explain("machineset", "s1")).toMatchObject({ deletingSince: expect.any(String) });
    await kubectl(`patch machineset/s1 --type=merge -p {"metadata":{"finalizers":null}}`);
    const gone = await runCli("explain", "machineset", "s1", ...shared);
    expect([gone.code, gone.output]).toEqual([
      1,
      expect.stringContaining("MachineSet default/s1 does not exist"),
    ]);
    expect((await runCli("history", "machinepool", "p1", ...shared)).output).toContain("relay away since");

    startRelay();
    await kubectl("wait machinepool/p1 --for=jsonpath={.status.availableReplicas}=5 --timeout=240s");
    await eventually(async () => {
      expect(await fleet()).toMatchObject({ items: [{ state: "healthy" }] });
      expect((await client.read<Me>("me")).stale).toBeUndefined();
    }, WITHIN);

    await using watched = startCli(["queue", "--watch", "--queue", redis.url]);
    await eventually(() => expect(watched.output()).toMatch(/^machineset-machines /m), WITHIN);
    expect(watched.output()).not.toContain("capstan:");
    sets.child.kill("SIGKILL");
    await kubectl("apply -f -", simMachineSet("s2", "c1", 1));
    const unserved = expect.stringMatching(
      /^no worker serves machineset-machines since \S+Z, 1 key waits; start one/,
    );
    await eventually(async () => {
      expect((await fleet()).items).toMatchObject([{ state: "waiting", reason: unserved }]);
      const { causes } = await client.read<ClusterAnswer>("objects/MachineSet/default/s2");
      expect(causes[0]).toMatchObject({
        about: "worker",
        cause: expect.stringMatching(/^no worker serves machineset-machines since \S+Z, 1 key waits$/),
      });
    }, WITHIN);
    await eventually(
      () => expect(watched.output()).toMatch(/^capstan: no worker serves machineset-machines since /m),
      WITHIN,
    );
    const set = await runCli("explain", "machineset", "s2", ...shared);
    expect(set.output).toMatch(/^.*\n\S* *! no worker serves machineset-machines since /);

    await ending.disposeAsync();
    const silent = expect.stringMatching(
      /^Clusters, queue: cannot be read: Redis at \S+ does not answer; the last known/,
    );
    await eventually(async () => {
      expect(await fleet()).toMatchObject({ items: [{ name: "c1" }], stale: [{ reason: silent }] });
      expect((await client.read<Me>("me")).stale?.[0]?.reason).toEqual(silent);
    }, WITHIN);
    expect((await fleet()).items).not.toMatchObject([{ state: "healthy" }]);
    const live = await runCli("explain", "machinepool", "p1", ...shared);
    expect(live.output).toMatch(
      /^MachinePool default\/p1 .*\n\S* *! queue unreachable: cannot use Redis at /,
    );
    expect(live.output).not.toMatch(/^(?!.*last run).*nothing to do/m);
    const problems = await runCli("problems", "-A", ...shared);
    expect(problems.output).toMatch(/^.*\n\*\s+queue unreachable: cannot use Redis at .* → start it/);
    expect(problems.code).toBe(3);
  });
});
