import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { CANARY } from "../../../support/canaries.ts";
import { MAIN, runCli } from "../../../support/processes/cli.ts";
import { startLambdaEnvironment } from "../../../support/processes/lambda-environment.ts";
import { testFolder } from "../../../support/test-folder.ts";

const KUBECONFIG = `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: "http://127.0.0.1:1" } }]
users: [{ name: u, user: { token: ${CANARY} } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x
`;
const QUEUE = `sqs://us-east-1?redis=redis://default:${CANARY}@127.0.0.1:1`;

const folder = testFolder("lambda");
beforeAll(async () => {
  await writeFile(join(folder, "kubeconfig"), KUBECONFIG, { mode: 0o600 });
});

const environment = (args: readonly string[], env: { readonly [name: string]: string | undefined } = {}) =>
  startLambdaEnvironment({
    command: [process.execPath, MAIN, "lambda", ...args],
    env: { CAPSTAN_QUEUE: QUEUE, KUBECONFIG: join(folder, "kubeconfig"), ...env },
    timeoutMs: 60_000,
  });

describe("capstan lambda", { concurrent: true }, () => {
  it.each([
    [
      "a queue in memory",
      [],
      { CAPSTAN_QUEUE: undefined },
      "the queue of capstan lambda must be one that other processes reach",
    ],
    [
      "a queue on Redis",
      [],
      { CAPSTAN_QUEUE: `redis://default:${CANARY}@127.0.0.1:1` },
      "takes its events from SQS",
    ],
    ["a wrong queue", [], { CAPSTAN_QUEUE: `${QUEUE}&colour=red` }, "parameter colour is unknown"],
    ["unknown functions", ["--functions", "machinepol-*"], {}, 'no function matches "machinepol-*"'],
    ["no kubeconfig", ["--kubeconfig", "/does-not-exist"], {}, "cannot read /does-not-exist"],
    [
      "half of a cluster",
      [],
      { KUBECONFIG: undefined, CAPSTAN_EKS_CLUSTER: "demo" },
      "CAPSTAN_EKS_SERVER is not; set it",
    ],
  ] as const)("says to Lambda why it cannot start, and ends: %s", async (_, args, env, text) => {
    await using started = await environment(args, env);
    expect(await started.ended).toBe(1);
    expect(started.initErrors).toEqual([
      {
        type: "error",
        errorType: expect.stringMatching(/^Capstan\.\w+$/),
        body: { errorType: expect.any(String), errorMessage: expect.stringContaining(text), stackTrace: [] },
      },
    ]);
    expect(JSON.stringify(started.initErrors)).not.toContain(CANARY);
    expect(started.output()).toContain(text);
  });

  it("takes an empty batch, another queue and 10,000 records while Redis is away", async () => {
    await using started = await environment(["--functions", "cluster-guard", "--timeout-seconds", "20"]);
    expect(await started.invoke({})).toEqual({ type: "response", body: { batchItemFailures: [] } });
    const recordsOf = (queue: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({
        messageId: `00000000-0000-0000-0000-${String(n).padStart(12, "0")}`,
        body: '{"v":1,"k":"default/c|Cluster|default/c","s":"1"}',
        eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
      }));
    const failuresOf = async (queue: string, count: number) => {
      const outcome = await started.invoke({ Records: recordsOf(queue, count) });
      return (outcome as { body: { batchItemFailures: readonly unknown[] } }).body.batchItemFailures.length;
    };
    expect(await failuresOf("capstan-machine-guard-live", 10)).toBe(10);
    expect(await failuresOf("capstan-cluster-guard-live", 10_000)).toBe(10_000);
    expect(started.freezes).toBe(3);
    const lines = started.output().trim().split("\n");
    const unhandled = lines.filter((line) => line.includes("messages are not handled"));
    expect(unhandled.map((line) => JSON.parse(line).messages)).toEqual([10, 10_000]);
    started.child.kill("SIGCONT");
    started.child.kill("SIGTERM");
    expect(await started.ended).toBe(0);
  });

  it("refuses to run elsewhere, and timeouts that Lambda does not have", async () => {
    expect(await runCli("lambda")).toMatchObject({
      code: 1,
      output: expect.stringContaining("elsewhere, use capstan worker"),
    });
    for (const seconds of ["5", "901", "ten", "30.5"]) {
      const { code, output } = await runCli("lambda", "--timeout-seconds", seconds);
      expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining("from 10 to 900") });
    }
  });
});
