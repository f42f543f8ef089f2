import { join } from "node:path";
import { expect, it } from "vitest";
import { connectRedis, endConnection } from "../../infra/queue/backends/redis/server/connection.ts";
import { eventually } from "../support/eventually.ts";
import { EMBEDDED } from "../support/processes/api-servers.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { silentLog } from "../support/silent-log.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN = { withinMs: 90_000, stepMs: 300 };
const REFUSED =
  /belongs to another management cluster: https?:\/\/\S+, where Namespace kube-system has uid \S+;/;

const OWNER = "{cap:cluster}:owner";

describeWith(redisMissing())("one Redis of two management clusters", () => {
  it("Q-43: serves the first one; processes of the other end with its name, whatever driver they use", async () => {
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

  it("Q-43: has its owner again when it was emptied; a process that missed it ends with the name of the new one", async () => {
    await using redis = await startRedis();
    const client = await connectRedis({ url: redis.url, log: silentLog });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => endConnection(client));
    await using first = await EMBEDDED.start();
    await using second = await EMBEDDED.start();
    const argsOf = (command: string, { kubeconfigFile }: { readonly kubeconfigFile: string }) => [
      command,
      "--kubeconfig",
      kubeconfigFile,
      "--queue",
      redis.url,
    ];
    await using relay = startCli(argsOf("relay", first));
    await eventually(() => expect(relay.output()).toContain("first list"), WITHIN);
    await using worker = startCli(argsOf("worker", first));
    await eventually(() => expect(worker.output()).toContain("serving"), WITHIN);

    await client.flushdb();
    await eventually(async () => expect(await client.exists(OWNER)).toBe(1), WITHIN);
    const refused = await runCli(...argsOf("worker", second));
    expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(REFUSED) });

    for (const { child } of [relay, worker]) child.kill("SIGSTOP");
    await client.flushdb();
    await using faster = startCli(argsOf("relay", second));
    await eventually(() => expect(faster.output()).toContain("first list"), WITHIN);
    for (const late of [relay, worker]) {
      late.child.kill("SIGCONT");
      expect(await late.ended).toBe(1);
      expect(late.output()).toMatch(REFUSED);
    }
    expect(faster.output()).not.toMatch(REFUSED);
  });

  it("is free again when capstan up ends, whose API server ends with it", async () => {
    await using redis = await startRedis();
    await using second = await EMBEDDED.start();
    const dir = testFolder("owner");
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
  });
});
