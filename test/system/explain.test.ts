import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { NotedRun } from "../../infra/cli/history/history.ts";
import type { Explained, ExplainedFunction } from "../../infra/operate/explain/explain-tree.ts";
import { commandsIn } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };

function world() {
  const dir = testFolder("explain");
  const kubeconfig = join(dir, "kubeconfig");
  return {
    kubeconfig,
    letters: ["--dead-letters", join(dir, "letters.jsonl")],
    kubectl: kubectlFor(kubeconfig),
  };
}

async function explain(...args: readonly string[]): Promise<Explained> {
  const { code, output } = await runCli("explain", ...args, "-o", "json");
  expect(code, output).toBe(0);
  return JSON.parse(output) as Explained;
}

/** The commands of the guide about the history. */
async function historyCommands(): Promise<readonly string[]> {
  const commands = await commandsIn("infra/guides/operate.md", "When it does not become ready");
  return commands.filter(
    (line) => line.includes(" capstan -- history ") || line.includes(" capstan history "),
  );
}

function functionOf(explained: Explained, name: string): ExplainedFunction {
  const found = explained.functions.find((one) => one.function === name);
  if (found === undefined) throw new Error(`${name} is not explained`);
  return found;
}

describeWith(kubectlMissing())("capstan explain beside capstan up", () => {
  it("says why a pool is stuck, with the queue's memory or without, as a tree for its Cluster", async () => {
    const place = world();
    const { kubeconfig, kubectl, letters } = place;
    const up = ["up", "--metrics-address", "127.0.0.1:0", "--write-kubeconfig", kubeconfig, ...letters];
    await using running = startCli(up);
    const [, address = ""] = await eventually(() => {
      expect(running.output()).toMatch(/demo-pool .*Running/);
      return /metrics: http:\/\/(\S+)\/metrics/.exec(running.output()) ?? [];
    }, WITHIN);
    const alone = ["--kubeconfig", kubeconfig, ...letters];

    // For people who have only kubectl.
    await kubectl("wait machinepool/demo-pool --for=condition=Available --timeout=240s");
    expect(await kubectl("get machinepools -o wide")).toMatch(
      /NAME +CLUSTER +DESIRED +CURRENT +READY +AVAILABLE +UP-TO-DATE +PAUSED +PHASE +AGE +VERSION\n/,
    );
    expect(await kubectl("describe machinepool demo-pool")).toMatch(
      /Phase: +Running[\s\S]*SuccessfulSetNodeRefs/,
    );

    // No provider has made what the pool references.
    const pool = JSON.parse(await kubectl("get machinepool demo-pool -o json"));
    const { template, replicas, clusterName } = pool.spec;
    const { configRef } = template.spec.bootstrap;
    template.spec.bootstrap = { configRef: { ...configRef, name: "lost" } };
    const metadata = { name: "lost", namespace: "default" };
    const { apiVersion, kind } = pool;
    const lost = { apiVersion, kind, metadata, spec: { clusterName, replicas, template } };
    await kubectl("apply -f -", JSON.stringify(lost));
    await eventually(async () => {
      const reported = await explain("machinepool", "default/lost", ...alone);
      for (const name of ["machinepool-adopt", "machinepool-sync", "machinepool-status"]) {
        expect(functionOf(reported, name)).toMatchObject({
          now: { waitsFor: { object: "SimBootstrapConfig default/lost", field: "metadata.uid" } },
        });
      }
      expect(reported.children).toContainEqual(
        expect.objectContaining({ object: "SimBootstrapConfig default/lost", problem: "does not exist" }),
      );
      expect(functionOf(reported, "machinepool-guard").lastWrote?.fields).toContain(
        "metadata.finalizers[machinepool.cluster.x-k8s.io]",
      );
      expect(functionOf(reported, "machinepool-guard").history).toBeUndefined();
    }, WITHIN);

    expect(await runCli("problems", ...alone)).toMatchObject({
      code: 3,
      output: expect.stringMatching(
        /\ndefault\/demo +SimBootstrapConfig default\/lost does not exist, and MachinePool default\/lost names it in \S+ → create it/,
      ),
    });
    expect(await runCli("problems", "-n", "other", ...alone)).toMatchObject({
      code: 0,
      output: expect.stringMatching(
        /no problems in namespace other; -A looks at all\n.*--queue asks that, too/,
      ),
    });

    // An instance that does not boot: what the pool waits for, in words.
    const slow = JSON.stringify({ spec: { bootDelaySeconds: 3_600 } });
    await kubectl(`patch simmachinepool demo-pool --type=merge -p '${slow}'`);
    await kubectl("scale machinepool demo-pool --replicas=4");
    await eventually(async () => {
      const { output } = await runCli("explain", "machinepool", "default/demo-pool", ...alone);
      expect(output).toMatch(
        /machinepool-status +waits for SimMachinePool default\/demo-pool: status\.replicas is 3/,
      );
    }, WITHIN);

    // In a pipe a line for each change.
    await using watched = startCli(["explain", "cluster", "default/demo", "--watch", ...alone]);
    await eventually(() => expect(watched.output()).toMatch(/^MachinePool default\/demo-pool +\w+/m), WITHIN);
    expect(watched.output()).not.toContain("spec.paused");
    await kubectl(`patch cluster demo --type=merge -p '{"spec":{"paused":true}}'`);
    await eventually(() => {
      expect(watched.output()).toMatch(
        /^MachinePool default\/demo-pool {2}machinepool-sync {2}waits for Cluster default\/demo: spec\.paused is true$/m,
      );
    }, WITHIN);
    watched.child.kill("SIGINT");
    expect(await watched.ended).toBe(0);
    await eventually(async () => {
      const reported = await explain("cluster", "default/demo", ...alone, "--metrics-address", address);
      const demo = reported.children.find(({ object }) => object === "MachinePool default/demo-pool");
      expect(demo && functionOf(demo, "machinepool-sync")).toMatchObject({
        now: { waitsFor: { object: "Cluster default/demo", field: "spec.paused", value: true } },
        history: { lastRun: { waitingFor: "Cluster.spec.paused", runId: expect.any(String) } },
      });
    }, WITHIN);
    const text = await runCli("explain", "cluster", "default/demo", ...alone, "--metrics-address", address);
    expect(text).toMatchObject({ code: 0, output: expect.stringMatching(/[├└]─ MachinePool default\/\S+/) });
    expect(text.output.split("\n").slice(1, 4).join("\n")).toMatch(
      /^│ ! Cluster default\/demo is paused by spec\.paused since \S+, written by kubectl-patch\n│ {3}→ unpause it: .*\n│ {3}holds up \d+ objects$/,
    );
    expect(text.output.match(/spec\.paused is true/g)).toBeNull();

    const [table = "", json = ""] = await historyCommands();
    const history = async (line: string): Promise<string> => {
      const own = line.replace("~/.capstan/kubeconfig", kubeconfig).replace("127.0.0.1:9464", address);
      const { code, output } = await runCli(
        ...own.replace(/^np(?:m run capstan --|x --silent capstan) /, "").split(" "),
      );
      expect(code, output).toBe(0);
      return output;
    };
    expect(await history(table)).toMatch(
      /^\S+Z +machinepool-status .* wrote .*MachinePool\/status default\/demo-pool@\d+: /m,
    );
    const runs: readonly NotedRun[] = JSON.parse(await history(json));
    expect(new Set(runs.map((run) => run.function))).toEqual(new Set(["machinepool-status"]));
    expect(runs.flatMap(({ writes }) => writes)).toContainEqual({
      verb: "apply",
      cluster: "management",
      what: "MachinePool default/demo-pool",
      subresource: "status",
      resourceVersion: expect.stringMatching(/^\d+$/),
      changes: expect.arrayContaining([{ path: "status.conditions[Paused].status", value: "True" }]),
    });
  });
});

describeWith(redisMissing() ?? kubectlMissing())("capstan explain with a shared queue", () => {
  it("reads what relay and workers know: state, last run with its causes, next run", async () => {
    const place = world();
    await using redis = await startRedis();
    const { kubeconfig } = place;
    const roles = ["--roles", "apiserver", "cloud", "--quiet", "--write-kubeconfig", kubeconfig];
    await using server = startCli(["up", ...roles]);
    await eventually(() => expect(server.output()).toContain("kubectl"), WITHIN);
    const shared = ["--kubeconfig", kubeconfig, "--queue", redis.url];
    expect(await runCli("explain", "machinepool", "default/demo-pool", ...shared)).toMatchObject({
      code: 0,
      output: expect.stringContaining("! no relay has given a sign of life"),
    });
    await using _relay = startCli(["relay", ...shared]);
    // There is no worker: everything is ready and waits for one.
    await eventually(async () => {
      const reported = await explain("machinepool", "default/demo-pool", ...shared);
      expect(functionOf(reported, "machinepool-guard")).toMatchObject({
        now: { wouldSend: ["patch MachinePool default/demo-pool"] },
        history: { state: { state: "ready", causes: [expect.anything()] } },
      });
    }, WITHIN);
    await using _worker = startCli(["worker", ...shared]);
    await eventually(async () => {
      const reported = await explain("machinepool", "default/demo-pool", ...shared);
      expect(reported.phase).toBe("Running");
      const { state, lastRun } = functionOf(reported, "machinepool-guard").history ?? {};
      expect(state).toBeUndefined();
      expect(lastRun).toMatchObject({ outcome: "ok", causes: [expect.anything()] });
    }, WITHIN);
    const history = await runCli("history", "machinepool", "demo-pool", ...shared);
    expect(history.output).toMatch(
      /^\S+Z +machinepool-guard .* wrote +patch MachinePool default\/demo-pool@\d+: /m,
    );
    expect(await runCli("history", "machinepool", "none", ...shared)).toMatchObject({
      code: 1,
      output: expect.stringContaining("MachinePool default/none does not exist"),
    });
  });
});

describe("capstan explain", () => {
  it.each([
    [
      ["unicorn", "default/a"],
      'no function reconciles "unicorn"; there are cluster, clusterresourcesetbinding, clusterresourceset, machine, machinedeployment, machinepool, machineset',
    ],
    [["machinepool", "a/b/c"], '"a/b/c" is not the name of an object; write NAME, or NAMESPACE/NAME'],
    [["machinepool", "a", "--metrics-address", "0.0.0.0:1"], "0.0.0.0 is not loopback"],
    [["machinepool", "a", "--kubeconfig", "/nowhere"], "/nowhere"],
  ])("refuses %j and names the next step", async (args, message) => {
    const { code, output } = await runCli("explain", ...args);
    expect(output).toContain(message);
    expect(code).toBe(1);
  });
});

describe("capstan history", () => {
  it.each([
    [["unicorn", "a"], 'no function reconciles "unicorn"'],
    [["machinepool", "a"], "the history is beside the queue: add --queue"],
    [
      ["machinepool", "a", "--function", "x"],
      "no function of MachinePool is named x; there are machinepool-",
    ],
  ])("refuses %j and names the next step", async (args, message) => {
    const { code, output } = await runCli("history", ...args);
    expect(output).toContain(message);
    expect(code).toBe(1);
  });
});
