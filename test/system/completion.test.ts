import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../infra/platform/clock.ts";
import { createJsonLinesDeadLetters } from "../../infra/queue/letters/json-lines.ts";
import { eventually } from "../support/eventually.ts";
import { deadLetter } from "../support/letters.ts";
import { type CliProcess, MAIN, runCli, startCli } from "../support/processes/cli.ts";
import { describeWith } from "../support/requires.ts";
import { silentLog } from "../support/silent-log.ts";
import { testFolder } from "../support/test-folder.ts";

const run = promisify(execFile);
const WITHIN = { withinMs: 120_000, stepMs: 200 };
const CLUSTERS = ["tab-one", "tab-two"]
  .map(
    (name) => `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: ${name}, namespace: default }
spec: { infrastructureRef: { apiGroup: infrastructure.sim.capstan.dev, kind: SimCluster, name: none } }
`,
  )
  .join("---\n");

function missing(shell: string): string | undefined {
  const { status } = spawnSync(shell, ["--version"], { stdio: "ignore" });
  return status === 0 ? undefined : `no ${shell}; apt-get install ${shell}`;
}

let dir: string;
let up: CliProcess;
let script: (shell: string) => Promise<string>;
/** Slow machines need more than a person would wait. */
const env = () => ({
  ...process.env,
  KUBECONFIG: join(dir, "kubeconfig"),
  HOME: dir,
  CAPSTAN_COMPLETION_MS: "120000",
});

beforeAll(async () => {
  dir = testFolder("completion");
  const manifests = join(dir, "clusters.yaml");
  await writeFile(manifests, CLUSTERS);
  const letters = createJsonLinesDeadLetters({
    file: join(dir, ".capstan", "dead-letters.jsonl"),
    clock: systemClock,
    log: silentLog,
  });
  await letters.put(deadLetter());
  await letters.put(deadLetter({ key: "default/c1|MachinePool|default/$(touch hacked)" }));
  up = startCli(["up", "--quiet", "-f", manifests, "--write-kubeconfig", join(dir, "kubeconfig")]);
  script = async (shell) => {
    const file = join(dir, `capstan.${shell}`);
    await writeFile(file, (await runCli("completion", shell)).output);
    return file;
  };
  // A program of that name, as a person has it.
  await writeFile(join(dir, "capstan"), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, {
    mode: 0o755,
  });
  await eventually(
    async () => expect(await asked("explain", "cluster", "default/tab-t")).toEqual(["default/tab-two"]),
    WITHIN,
  );
});
afterAll(async () => {
  await up[Symbol.asyncDispose]();
});

/** The names that the hidden command behind the scripts prints. */
async function asked(...words: readonly string[]): Promise<readonly string[]> {
  const args = [MAIN, "complete-words", "--within", "120000", "--", ...words];
  const { stdout } = await run(process.execPath, args, { env: env() });
  return stdout.split("\n").filter((line) => line !== "");
}

async function inShell(shell: string, text: string): Promise<string> {
  const path = `${dir}:${process.env["PATH"]}`;
  const { stdout } = await run("timeout", ["120", shell, ...(shell === "zsh" ? ["-f"] : []), "-c", text], {
    env: { ...env(), PATH: path, TERM: "dumb" },
  });
  return stdout;
}

describeWith(undefined)("completion of names", () => {
  it("knows kinds, functions, objects and dead letters, and nothing that a shell would expand", async () => {
    expect(await asked("explain", "machinep")).toEqual(["machinepool"]);
    expect(await asked("explain", "cluster", "default/tab")).toEqual(["default/tab-one", "default/tab-two"]);
    expect(await asked("queue", "machinepool-no")).toEqual(["machinepool-nodes"]);
    expect(await asked("queue", "pause", "machinepool-no")).toEqual(["machinepool-nodes"]);
    expect(await asked("dlq", "show", "machinepool-stat")).toEqual(["machinepool-status"]);
    expect(await asked("dlq", "drop", "machinepool-status", "")).toEqual(["default/p1"]);
    expect(await asked("explain", "cluster", "default/tab-one", "")).toEqual([]);
    expect(await asked("version", "")).toEqual([]);
  });

  it("is silent when the answer is late, or nothing answers", async () => {
    const late = [MAIN, "complete-words", "--within", "1", "--", "queue", ""];
    expect(await run(process.execPath, late, { env: env() })).toEqual({ stdout: "", stderr: "" });
    const nothing = [
      MAIN,
      "complete-words",
      "--within",
      "120000",
      "--",
      "explain",
      "cluster",
      "--kubeconfig",
      "none",
      "",
    ];
    expect(await run(process.execPath, nothing, { env: env() })).toEqual({ stdout: "", stderr: "" });
  });

  it("finishes the name of a Cluster in bash, also behind the alias of README", async () => {
    const offered = async (...words: readonly string[]) => offeredBy("capstan", words);
    const offeredBy = async (command: string, words: readonly string[]) => {
      const line = `shopt -s expand_aliases; alias nickname='command capstan'; source ${await script("bash")}
COMP_WORDS=('${command}' ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; COMPREPLY=()
_capstan; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return (await inShell("bash", line)).trim().split("\n");
    };
    expect(await offered("explain", "cluster", "default/tab-t")).toEqual(["default/tab-two"]);
    expect(await offered("queue", "pause", "machinepool-no")).toEqual(["machinepool-nodes"]);
    expect(await offered("dlq", "drop", "machinepool-status", "def")).toEqual(["default/p1"]);
    expect(await offeredBy("nickname", ["explain", "cluster", "default/tab-t"])).toEqual(["default/tab-two"]);
    expect(await offeredBy("$(touch hacked)", ["explain", "cluster", "default/"])).toEqual([""]);
    expect(existsSync(join(dir, "hacked")) || existsSync("hacked")).toBe(false);
  });
});

describeWith(missing("fish"), { optional: true })("completion in fish", () => {
  it("finishes the name of a Cluster in fish", async () => {
    const text = `source ${await script("fish")}; complete -C "capstan explain cluster default/tab-t"`;
    expect((await inShell("fish", text)).trim()).toBe("default/tab-two");
  });
});

describeWith(missing("zsh"), { optional: true })("completion in zsh", () => {
  it("finishes the name of a Cluster in zsh", async () => {
    const text = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PATH=${dir}:$PATH; PS1=; alias capstan="command capstan"; autoload -U compinit; compinit -D -u; source ${await script("zsh")}; echo REA""DY'
zpty -r shell out '*READY*'
zpty -n -w shell $'capstan explain cluster default/tab-t\\t'
zpty -r shell out '*default/tab-two*'
print -r -- "$out"; zpty -d shell`;
    expect(await inShell("zsh", text)).toContain("default/tab-two");
  });
});
