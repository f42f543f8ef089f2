import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { buildInto } from "../../infra/build.ts";
import { loadFunctions } from "../../infra/worker/load.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

describe("the built JavaScript", () => {
  it("runs every command from its own files, wherever it lies", async () => {
    const folder = await mkdtemp(join(tmpdir(), "capstan-built-"));
    await using stack = new AsyncDisposableStack();
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    await buildInto(folder);
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const run = async (...words: string[]) =>
      (await promisify(execFile)(process.execPath, [join(folder, "infra/cli/main.js"), ...words])).stdout;
    expect(await run("version")).toMatch(/^capstan \d/);
    const listed = await run("functions");
    for (const { spec } of await loadFunctions()) expect(listed).toContain(spec.name);
    const up = await run("up", "--until-ready", "--quiet", "--write-kubeconfig", join(folder, "kubeconfig"));
    expect(up).toMatch(/MachinePool +default +demo-pool +Running/);
  });
});
