import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { machinepoolStatus } from "../../functions/machinepool/status.ts";
import { redisMissing, startRedis } from "../../infra/bench/redis-server.ts";
import { systemClock } from "../../infra/clock.ts";
import { createRedisDeadLetters } from "../../infra/dead-letters/redis.ts";
import { KubeError } from "../../shared/runtime/errors.ts";
import { cluster, machinePool } from "../support/builders.ts";
import { type CliProcess, runCli, startCli } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { letterOfFailure } from "../support/failed-run.ts";
import { kubectlMissing } from "../support/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { silentLog } from "../support/silent-log.ts";

const shell = promisify(execFile);
const WITHIN = { withinMs: 60_000, stepMs: 200 };

/** The command lines of README's shell blocks, in order. */
async function commandsOfReadme(): Promise<readonly string[]> {
  const text = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => block.split("\n").filter((line) => line.trim() !== ""));
}

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "capstan-readme-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const DEMO_POOL = "default/demo|MachinePool|default/demo-pool";

/** What the section about failures talks about. */
async function putDeadLetter(url: string): Promise<void> {
  await using letters = await createRedisDeadLetters({ url, clock: systemClock, log: silentLog });
  const snapshots = [machinePool({ metadata: { name: "demo-pool" } }), cluster()];
  const refuse = () =>
    new KubeError({ class: "Transient", status: 500, reason: "InternalError", message: "no" });
  await letters.put(await letterOfFailure(machinepoolStatus, { snapshots, refuse, key: DEMO_POOL }));
}

/** Runs a command about the dead letter to its end; files go to the test's own folder. */
async function runOnDeadLetter(line: string, redisUrl: string): Promise<string> {
  const args = line
    .replace("npm run capstan -- ", "")
    .replace("redis://127.0.0.1:6379", redisUrl)
    .replaceAll(/\S+\.(json|test\.ts)$|\S+\.(json|test\.ts)(?= )/g, (file) => join(dir, basename(file)))
    .split(" ");
  const { code, output } = await runCli(...args);
  expect(code, `${line}: ${output}`).toBe(0);
  return args.includes("export") ? readFile(join(dir, "letter.json"), "utf8") : output;
}

describeWith(redisMissing() ?? kubectlMissing())("the commands of README", () => {
  it("work when they are copied line by line", async () => {
    const commands = await commandsOfReadme();
    const kubeconfig = join(dir, "kubeconfig");
    await using redis = await startRedis();
    await using processes = new AsyncDisposableStack();
    const start = async (line: string, said: string): Promise<CliProcess> => {
      const args = line
        .replace(/^npm run capstan -- /, "")
        .replaceAll("FILE", kubeconfig)
        .replace("redis://127.0.0.1:6379", redis.url);
      const started = processes.use(startCli(args.replaceAll("'", "").split(" ")));
      await eventually(() => expect(started.output()).toContain(said), WITHIN);
      return started;
    };
    await putDeadLetter(redis.url);
    for (const line of commands) {
      switch (true) {
        // CI runs the test command itself, `npm ci` included; here it would empty the folder under our feet.
        case line === "npm ci && npm run setup && npm test":
          break;
        case line === "npm ci && npm start": {
          const up = await start(`up --write-kubeconfig ${kubeconfig}`, "Ctrl-C stops");
          await eventually(() => expect(up.output()).toMatch(/demo-pool .*Running/), WITHIN);
          break;
        }
        case line === "export KUBECONFIG=~/.capstan/kubeconfig":
          expect((await runCli("up", "--help")).output).toContain(".capstan/kubeconfig");
          break;
        case line.startsWith("kubectl "):
          expect(
            (await shell("sh", ["-c", line], { env: { ...process.env, KUBECONFIG: kubeconfig } })).stdout,
            line,
          ).not.toBe("");
          break;
        case line.startsWith("npm run capstan -- explain "): {
          const args = line.replace("npm run capstan -- ", "").split(" ");
          await using explain = startCli(args, { KUBECONFIG: kubeconfig });
          expect(await explain.ended, explain.output()).toBe(0);
          expect(explain.output()).toContain("machinepool-status");
          break;
        }
        case line.startsWith("npm start -- --metrics-address "): {
          const options = line.replace("npm start -- ", "");
          const up = await start(
            `up ${options} --write-kubeconfig ${join(dir, "observed")}`,
            "metrics: http://",
          );
          await eventually(() => expect(up.output()).toMatch(/demo-pool .*Running/), WITHIN);
          break;
        }
        case line.startsWith("curl "):
          expect((await shell("sh", ["-c", line])).stdout, line).not.toBe("");
          break;
        case line.startsWith("npm run capstan -- up "):
          await start(`${line} --roles relay`, "Ctrl-C stops");
          break;
        case line.startsWith("npm run capstan -- relay "):
          await start(line, "first list");
          break;
        case line.startsWith("npm run capstan -- worker "):
          await start(line, "serving");
          break;
        case line.endsWith("--kubeconfig ~/.capstan/kubeconfig"): {
          // The example of the second start is there.
          const withFile = line.replace("~/.capstan/kubeconfig", join(dir, "observed"));
          expect((await runOnDeadLetter(withFile, redis.url)).trim(), line).not.toBe("");
          break;
        }
        case /^npm run capstan -- (queue|dlq|replay) /.test(line):
          expect((await runOnDeadLetter(line, redis.url)).trim(), line).not.toBe("");
          break;
        default:
          expect.fail(`README shows a command that this test does not know: ${line}`);
      }
    }
    expect(commands.length).toBeGreaterThan(8);
  });
});
