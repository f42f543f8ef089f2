import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROMTOOL = "promtool";

/** Why promtool cannot be run here; undefined when it can. */
export function promtoolMissing(): string | undefined {
  const { status } = spawnSync(PROMTOOL, ["--version"], { stdio: "ignore" });
  return status === 0 ? undefined : "no promtool; apt-get install prometheus";
}

/** Runs promtool in a folder with these files. Returns its exit code and both outputs. */
export function promtool(args: readonly string[], files: Readonly<Record<string, string>>) {
  const cwd = mkdtempSync(join(tmpdir(), "capstan-promtool-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { cwd, encoding: "utf8" });
    return { status, output: stdout + stderr };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
