import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { runCli } from "../../support/processes/cli.ts";

const run = promisify(execFile);

/** Returns the words that bash offers behind `words`, of which the last is being typed. */
async function offered(script: string, ...words: readonly string[]): Promise<readonly string[]> {
  const line = `${script}
COMP_WORDS=(capstan ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; COMPREPLY=()
_capstan; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run("bash", ["-uc", line]);
  return stdout.split("\n").filter((word) => word !== "");
}

describe("capstan completion", () => {
  it("completes commands and options in a real bash", async () => {
    const { code, output: script } = await runCli("completion", "bash");
    expect(code, script).toBe(0);
    expect(await offered(script, "")).toEqual(expect.arrayContaining(["up", "dlq", "explain", "completion"]));
    expect(await offered(script, "re")).toEqual(["relay", "remediations", "replay"]);
    expect(await offered(script, "up", "--until")).toEqual(["--until-ready"]);
    expect(await offered(script, "up", "--kubeconfig", "relay", "--until")).toEqual(["--until-ready"]);
    expect(await offered(script, "dlq", "dr")).toEqual(["drop"]);
    expect(await offered(script, "dlq", "replay", "pool-check", "--req")).toEqual(["--requeue"]);
    expect(await offered(script, "replay", "letter")).toEqual([]);
  });

  it("has a script for zsh and one for fish, and names the shells it knows", async () => {
    expect((await runCli("completion", "zsh")).output).toMatch(/^autoload -U \+X bashcompinit/);
    const fish = await runCli("completion", "fish");
    expect(fish.output).toMatch(/complete -c capstan -n '__fish_use_subcommand' -a up -d '.+'\n/);
    expect(fish.output).toMatch(/seen_subcommand_from drop' -l yes -d '.+'\n/);
    const refused = await runCli("completion", "csh");
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("bash, zsh, fish") });
  });
});
