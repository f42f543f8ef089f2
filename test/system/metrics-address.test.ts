import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type CliProcess, runCli, startCli } from "../support/processes/cli.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };

describe("--metrics-address", () => {
  it.each(["up", "relay", "worker"])(
    "of %s refuses addresses beyond loopback and names one",
    async (command) => {
      const { code, output } = await runCli(command, "--metrics-address", "0.0.0.0:9464");
      expect(output).toContain("0.0.0.0 is not loopback");
      expect(output).toContain("write 127.0.0.1:9464");
      expect(code).toBe(1);
    },
  );
});

async function urlOf(process: CliProcess): Promise<string> {
  return eventually(() => {
    const [, url] = /metrics: (http:\S+)\/metrics/.exec(process.output()) ?? [];
    if (url === undefined) throw new Error(`no metrics line in:\n${process.output()}`);
    return url;
  }, WITHIN);
}

describeWith(redisMissing())("relay and worker as processes of their own", () => {
  it("both show that they are ready, and the worker which runs it finishes", async () => {
    await using redis = await startRedis();
    const dir = testFolder("metrics");
    const kubeconfig = join(dir, "kubeconfig");
    const roles = ["--roles", "apiserver", "cloud", "--empty", "--quiet", "--write-kubeconfig", kubeconfig];
    await using world = startCli(["up", ...roles]);
    await eventually(() => expect(world.output()).toContain("kubectl"), WITHIN);

    const shared = ["--kubeconfig", kubeconfig, "--queue", redis.url, "--metrics-address", "127.0.0.1:0"];
    await using relay = startCli(["relay", ...shared]);
    await using worker = startCli(["worker", ...shared, "--log-level", "info"]);
    for (const one of [relay, worker]) {
      const url = await urlOf(one);
      await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), WITHIN);
    }
    const text = async (one: CliProcess) => (await fetch(`${await urlOf(one)}/metrics`)).text();
    expect(await text(relay)).toContain("capstan_relay_ready 1\n");
    expect(await text(worker)).not.toMatch(/^capstan_relay_/m);
    expect(await text(worker)).toContain("controller_runtime_max_concurrent_reconciles{");

    worker.child.kill("SIGTERM");
    expect(await worker.ended).toBe(0);
    expect(worker.output()).toMatch(/worker: stopping; \d+ runs? (is|are) finishing, at most 25 s/);
    expect(worker.output()).toContain("the worker serves");
    expect(worker.output()).toContain("the worker has stopped");
  });
});
