import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CliProcess, runCli, startCli } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { kubectlMissing } from "../support/kubectl.ts";
import { redisMissing, startRedis } from "../support/redis.ts";
import { describeWith } from "../support/requires.ts";

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
        case line.startsWith("npm run capstan -- up "):
          await start(`${line} --roles relay`, "Ctrl-C stops");
          break;
        case line.startsWith("npm run capstan -- relay "):
          await start(line, "first list");
          break;
        case line.startsWith("npm run capstan -- worker "):
          await start(line, "serving");
          break;
        default:
          expect.fail(`README shows a command that this test does not know: ${line}`);
      }
    }
    expect(commands.length).toBeGreaterThan(8);
  });
});
