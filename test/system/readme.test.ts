import { execFile } from "node:child_process";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { commandsIn } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { type CliProcess, runCli, startCli } from "../support/processes/cli.ts";
import { kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const shell = promisify(execFile);
const WITHIN = { withinMs: 60_000, stepMs: 200 };
const REDIS = "redis://127.0.0.1:6379";
const POISONED = "--functions-dir test/support/poisoned";

/** Pages that a person reads one after the other, with the sections whose commands are run here; other tests run the others. */
const STORY = [
  () => commandsIn("README.md"),
  () => commandsIn("infra/guides/operate.md", "Look at the demo"),
  () => commandsIn("functions/machine/README.md"),
  () => commandsIn("infra/guides/health-checks.md"),
  () => commandsIn("functions/cluster/README.md"),
  () => commandsIn("infra/guides/install.md", "Try it against a cluster"),
  () => commandsIn("infra/guides/take-over.md", "Beside Cluster API's manager"),
  () => commandsIn("infra/guides/install.md", "One process per part"),
  () => commandsIn("infra/guides/operate.md", "Observe"),
  () => commandsIn("infra/guides/operate.md", "When it does not become ready"),
  () => commandsIn("infra/guides/dead-letters.md"),
];

const dir = testFolder("readme");

/** A person who copies pages line by line: a home of their own, variables that stay, processes in other terminals. */
class Reader implements AsyncDisposable {
  readonly #redisUrl: string;
  readonly #env: { [name: string]: string } = { HOME: dir };
  readonly #running = new Map<string, CliProcess>();

  constructor(redisUrl: string) {
    this.#redisUrl = redisUrl;
  }

  get kubeconfig(): string {
    return join(dir, ".capstan", "kubeconfig");
  }

  export(line: string): void {
    for (const each of line.split(" ").slice(1)) {
      const [name = "", value = ""] = this.#own(each).split("=");
      this.#env[name] = value;
    }
  }

  /** `NAME=$(command)` */
  async assign(line: string): Promise<void> {
    const [name = ""] = line.split("=");
    const value = await this.kubectl(`${line}; echo "$${name}"`);
    expect(value.trim(), line).not.toBe("");
    this.#env[name] = value.trim();
  }

  async kubectl(line: string): Promise<string> {
    const env = { ...process.env, ...this.#env, KUBECONFIG: this.kubeconfig };
    const { stdout } = await shell("sh", ["-c", line], { env });
    return stdout;
  }

  /** Starts a command in a terminal; a second one in the same terminal ends the first. */
  async start(terminal: string, line: string, said: string): Promise<CliProcess> {
    await this.stop(terminal);
    const started = startCli(this.#argsOf(line), this.#env);
    this.#running.set(terminal, started);
    await eventually(() => expect(started.output(), line).toContain(said), WITHIN);
    return started;
  }

  async stop(terminal?: string): Promise<void> {
    for (const [name, process] of this.#running) {
      if (name !== (terminal ?? name)) continue;
      await process[Symbol.asyncDispose]();
      this.#running.delete(name);
    }
  }

  /** Runs a command to its end. */
  async run(line: string, code = 0): Promise<string> {
    await using cli = startCli(this.#argsOf(line), this.#env);
    expect(await cli.ended, `${line}: ${cli.output()}`).toBe(code);
    return cli.output();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Without a shell, and with files in the folder of the test. */
  #argsOf(line: string): readonly string[] {
    const own = this.#own(line.replace(/^np(?:m (?:run capstan|start) --|x --silent capstan) /, ""));
    return own.replaceAll(/\S+\.(?:json|test\.ts)(?= |$)/g, (file) => join(dir, basename(file))).split(" ");
  }

  #own(text: string): string {
    return text
      .replaceAll(/(?<=[= ])~/g, dir)
      .replaceAll("FILE", this.kubeconfig)
      .replaceAll(REDIS, this.#redisUrl)
      .replaceAll(/\$([A-Z]+)/g, (text, name: string) => this.#env[name] ?? text)
      .replaceAll("'", "");
  }
}

/** Commands for Cluster API's manager, which is not here: kubectl accepts them, and they have the described effect. */
async function tryOnManager(reader: Reader, line: string): Promise<void> {
  await expect(reader.kubectl(line)).rejects.toThrow(/resource type "deployment"|"capi-[a-z-]+" not found/);
  if (!line.includes(" patch ")) return;
  const container = { name: "manager", image: "x", args: ["--leader-elect"] };
  const spec = { selector: {}, template: { spec: { containers: [container] } } };
  const manager = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "m" }, spec };
  const local = line.replace("deployment/capi-controller-manager", "--local --filename=- --output=json");
  const patched = await reader.kubectl(`echo '${JSON.stringify(manager)}' | ${local}`);
  expect(JSON.parse(patched).spec.template.spec.containers[0].args).toEqual([
    "--leader-elect",
    "--watch-filter=capi",
  ]);
}

/** The row of a remediation of a worker in `capstan remediations`. */
function remediated(actor: string, outcome: string): string {
  return expect.stringMatching(
    `default/demo-workers +default/demo-workers-\\S+ .* ${actor} +${outcome}(?: |$)`,
  );
}

/** Checks the answer of `openssl x509 -subject -issuer -dates` about the client certificate in a kubeconfig. */
function expectAdminForAYear(text: string): void {
  expect(text).toMatch(/^subject=O ?= ?system:masters, CN ?= ?kubernetes-admin$/m);
  expect(text).toMatch(/^issuer=CN ?= ?kubernetes$/m);
  const [, until = ""] = /^notAfter=(.*)$/m.exec(text) ?? [];
  const days = (Date.parse(until) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(364);
  expect(days).toBeLessThanOrEqual(365);
}

describeWith(redisMissing() ?? kubectlMissing())("the commands of README and of the guides", () => {
  it("work when they are copied line by line", async () => {
    const commands = (await Promise.all(STORY.map((read) => read()))).flat();
    await using redis = await startRedis();
    await using filteredRedis = await startRedis();
    await using reader = new Reader(redis.url);
    let alias = "";
    const remediations = [remediated("MachineSet demo-workers-\\S+", "replaced")];
    let isHeld = false;
    for (const line of commands) {
      switch (true) {
        // CI runs the test command itself, `npm ci` included; here it would empty the folder under our feet.
        case line === "npm ci && npm run setup && npm test":
          break;
        // Started already, with the console.
        case line === "npm ci && npm start":
          break;
        case line === "npm ci && npm start -- --console": {
          const up = await reader.start("first", "up --console", "Ctrl-C stops");
          expect(up.output()).toContain("console: http://");
          await eventually(() => expect(up.output()).toMatch(/demo-pool .*Running/), WITHIN);
          break;
        }
        case line.startsWith("alias "):
          alias = line;
          break;
        case line.startsWith("source <("): {
          const script = ["shopt -s expand_aliases", alias, line, "complete -p capstan"].join("\n");
          expect((await shell("bash", ["-c", script])).stdout).toContain("-F _capstan capstan");
          break;
        }
        case line.startsWith("export "):
          reader.export(line);
          break;
        case line.includes("capi-controller-manager"):
          await tryOnManager(reader, line);
          break;
        case line.startsWith("kubectl label ") && line.includes(" --all "):
          await reader.kubectl("kubectl apply -f infra/playground/sim/example.yaml");
          expect(await reader.kubectl(line)).toContain("labeled");
          break;
        case / > \S+$/.test(line):
          expect(await reader.kubectl(line), line).toBe("");
          break;
        case /^[A-Z]+=\$\(/.test(line):
          await reader.assign(line);
          break;
        case line.startsWith("openssl x509 "):
          expectAdminForAYear(await reader.kubectl(line));
          break;
        case line.startsWith("kubectl get ") && line.endsWith(",secrets"):
          // The garbage collector may need a moment more.
          await eventually(async () => expect(await reader.kubectl(line)).toBe(""), WITHIN);
          break;
        case line.includes(" capstan.dev/hold-remediation"):
          expect(await reader.kubectl(line)).toContain("annotated");
          isHeld = line.includes("hold-remediation=");
          break;
        case line.startsWith("kubectl "):
          expect(await reader.kubectl(line), line).not.toBe("");
          break;
        case line.startsWith("npm run capstan -- explain machine "): {
          const expected = isHeld
            ? /default\/demo-workers +unhealthy: UnhealthyNode .*capstan\.dev\/hold-remediation to be removed/
            : /Pod default\/web: .*The disruption budget web needs 1/;
          await eventually(async () => expect(await reader.run(line)).toMatch(expected), WITHIN);
          break;
        }
        case line.startsWith("npm run capstan -- rollout status "):
          expect(await reader.run(line)).toContain("demo-workers");
          break;
        case line.startsWith("npm run capstan -- explain "):
          expect(await reader.run(line)).toMatch(
            /(Cluster|MachineDeployment|MachineHealthCheck) default\/demo/,
          );
          break;
        case line.startsWith("npm start -- --metrics-address "): {
          await reader.stop();
          const up = await reader.start("first", line.replace("npm start -- ", "up "), "metrics: http://");
          await eventually(() => expect(up.output()).toMatch(/demo-pool .*Running/), WITHIN);
          break;
        }
        case line.startsWith("curl "):
          expect((await shell("sh", ["-c", line])).stdout, line).not.toBe("");
          break;
        case line.includes("--watch-filter"):
          await reader.start("filtered", line.replace(REDIS, filteredRedis.url), "first list");
          break;
        case line.startsWith("npm run capstan -- up --roles "):
          await reader.stop();
          await reader.start("first", line, "Ctrl-C stops");
          break;
        case line.startsWith("npm run capstan -- up "):
          await reader.start("own cluster", `${line} --roles relay`, "Ctrl-C stops");
          break;
        case line.startsWith("npm run capstan -- relay "):
          await reader.start("relay", line, "first list");
          break;
        case line.startsWith("npm run capstan -- worker "):
          await reader.start("worker", line, "serving");
          break;
        case line === `npm run capstan -- queue ${POISONED}`:
          await eventually(async () => {
            expect(await reader.run(line)).toMatch(/pool-check +0 +0 +0 +1/);
          }, WITHIN);
          break;
        case line.endsWith(" --requeue --yes"):
          expect(await reader.run(line)).toContain("requeued pool-check");
          await eventually(async () => {
            expect(await reader.run("npm run capstan -- dlq list")).toMatch(/pool-check .*resolved/);
          }, WITHIN);
          break;
        case line.endsWith(" || test $? = 1"):
          expect(await reader.run(line.replace(" || test $? = 1", ""), 1)).toContain("different");
          break;
        case line === "kubectl apply -f infra/guides/examples/remediation.yaml":
          await reader.kubectl(line);
          remediations.push(remediated("SimRemediation \\S+", "recovered"));
          remediations.push(remediated("SimRemediation \\S+", "replaced"));
          break;
        case line.startsWith("npm run capstan -- remediations "):
          expect((await reader.run(line)).split("\n")).toEqual(expect.arrayContaining(remediations));
          break;
        case /^np(?:m run capstan --|x --silent capstan) (queue|dlq|replay|history) /.test(line):
          expect((await reader.run(line)).trim(), line).not.toBe("");
          break;
        default:
          expect.fail(`a page shows a command that this test does not know: ${line}`);
      }
    }
    expect(commands.length).toBeGreaterThan(80);
    expect((await runCli("dlq", "list", "--queue", redis.url)).output).toContain("no dead letters");
  });
});
