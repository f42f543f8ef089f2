import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { EMBEDDED } from "../support/processes/api-servers.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 90_000, stepMs: 300 };
const REFUSED =
  /belongs to another management cluster: https?:\/\/\S+, where Namespace kube-system has uid \S+;/;

describeWith(redisMissing())("one Redis of two management clusters", () => {
  it("serves the first one; processes of the other end with its name, whatever driver they use", async () => {
    await using redis = await startRedis();
    await using first = await EMBEDDED.start();
    await using second = await EMBEDDED.start();
    const viaSqs = `sqs://eu-west-1?redis=${redis.url}`;
    await using relay = startCli(["relay", "--kubeconfig", first.kubeconfigFile, "--queue", redis.url]);
    await eventually(() => expect(relay.output()).toContain("first list"), WITHIN);
    for (const [command, queue] of [
      ["relay", redis.url],
      ["worker", redis.url],
      ["worker", viaSqs],
    ] as const) {
      const { code, output } = await runCli(command, "--kubeconfig", second.kubeconfigFile, "--queue", queue);
      expect(output).toMatch(REFUSED);
      expect(output).toContain("Name a Redis of its own with --queue");
      expect(code).toBe(1);
    }
    const args = ["console", "--kubeconfig", second.kubeconfigFile, "--queue", redis.url];
    const { code, output } = await runCli(...args);
    expect(output).toMatch(REFUSED);
    expect(output).toContain(
      "Name the Redis of this cluster with --queue, or that cluster with --kubeconfig",
    );
    expect(code).toBe(1);
    await second.withoutReading("namespaces");
    expect((await runCli(...args)).output).toContain("allow its account to get Namespace kube-system");
    expect((await second.requests()).filter(({ verb }) => verb !== "get")).toEqual([]);
    await using worker = startCli(["worker", "--kubeconfig", first.kubeconfigFile, "--queue", redis.url]);
    await eventually(() => expect(worker.output()).toContain("serving"), WITHIN);
  });

  it("is free again when capstan up ends, whose API server ends with it", async () => {
    await using redis = await startRedis();
    await using second = await EMBEDDED.start();
    const dir = await mkdtemp(join(tmpdir(), "capstan-owner-"));
    const up = [
      "up",
      "--queue",
      redis.url,
      "--write-kubeconfig",
      join(dir, "kubeconfig"),
      "--empty",
      "--quiet",
    ];
    await using first = startCli(up);
    await eventually(() => expect(first.output()).toContain("Ctrl-C stops"), WITHIN);
    const args = ["worker", "--kubeconfig", second.kubeconfigFile, "--queue", redis.url];
    expect((await runCli(...args)).output).toMatch(REFUSED);
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    await using worker = startCli(args);
    await eventually(() => expect(worker.output()).toContain("serving"), WITHIN);
    await rm(dir, { recursive: true, force: true });
  });
});
