import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { describeWith } from "../../support/requires.ts";

const OWN = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "capstan/tools/actionlint");
const ACTIONLINT = existsSync(OWN) ? OWN : "actionlint";
const missing =
  spawnSync(ACTIONLINT, ["-version"]).status === 0
    ? undefined
    : "no actionlint; npm run setup builds it where Go is";

interface Workflow {
  readonly jobs: { readonly [name: string]: { readonly steps: readonly { readonly run?: string }[] } };
}

const files = (await readdir(".github/workflows")).map((name) => join(".github/workflows", name));

describe("the workflows", () => {
  it("call scripts of package.json only, but to write a key", async () => {
    const { scripts } = JSON.parse(await readFile("package.json", "utf8"));
    const workflows = await Promise.all(
      files.map(async (file) => load(await readFile(file, "utf8")) as Workflow),
    );
    const lines = workflows.flatMap(({ jobs }) =>
      Object.values(jobs).flatMap(({ steps }) =>
        steps.flatMap(({ run = "" }) => run.split("\n").filter(Boolean)),
      ),
    );
    const called = lines.flatMap((line) => /^npm run ([\w:]+)/.exec(line)?.[1] ?? []);
    expect(called.toSorted()).toEqual(["check", "release", "setup", "setup"]);
    expect(called.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
    const others = lines.filter((line) => !line.startsWith("npm run "));
    expect(new Set(others)).toEqual(
      new Set(["npm ci", "umask 077", `printf '%s' "$SIGNING_KEY" > "$RUNNER_TEMP/capstan.key"`]),
    );
  });
});

describeWith(missing, { optional: true, byName: true })("the workflows under actionlint", () => {
  it("have no finding", () => {
    const { status, stdout } = spawnSync(ACTIONLINT, ["-no-color", ...files], { encoding: "utf8" });
    expect([status, stdout]).toEqual([0, ""]);
  });
});
