import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { machinepoolStatus } from "../../../../functions/machinepool/status.ts";
import { testFileOf } from "../../../../infra/cli/replay/replay-as-test.ts";
import { simBootstrap } from "../../../../infra/playground/functions/sim/bootstrap.ts";
import { functionFiles } from "../../../../infra/worker/load.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { DeadLetter } from "../../../../shared/runtime/letters/dead-letter.ts";
import {
  bootstrapConfig,
  cluster,
  FOO_CRDS,
  infraMachinePool,
  machinePool,
  OWNED_BY_P1,
} from "../../../support/builders.ts";
import { evictor, pod } from "../../../support/evictor.ts";
import { letterOfFailure } from "../../../support/failed-run.ts";
import { deadLetter } from "../../../support/letters.ts";

const run = promisify(execFile);
const HERE = fileURLToPath(new URL("./", import.meta.url));
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

const refuse = () =>
  new KubeError({ class: "Transient", status: 500, reason: "InternalError", message: "no" });
const snapshots = [machinePool(), cluster(), bootstrapConfig(), infraMachinePool(), ...FOO_CRDS];

const FILES = await functionFiles();

function sourceOf({ function: name }: DeadLetter): string {
  return FILES.get(name) ?? `functions/${name.replace("-", "/")}.ts`;
}

/** Returns the output of vitest for the test of this letter. */
async function runTestOf(letter: DeadLetter): Promise<{ readonly ok: boolean; readonly output: string }> {
  const dir = await mkdtemp(join(HERE, "generated-"));
  try {
    const file = join(dir, "letter.test.ts");
    await writeFile(file, testFileOf(letter, file, sourceOf(letter)));
    const args = ["run", "--config", join(ROOT, "test/vitest.config.ts"), "--project", "infra", file];
    const { stdout } = await run(join(ROOT, "node_modules/.bin/vitest"), args, { cwd: ROOT });
    return { ok: true, output: stdout };
  } catch (error) {
    return { ok: false, output: String((error as { stdout?: string }).stdout) };
  } finally {
    await rm(dir, { recursive: true });
  }
}

describe("the test that is made of a dead letter", () => {
  it("passes for the code that failed, and fails once that decides differently", async () => {
    const letter = await letterOfFailure(machinepoolStatus, { snapshots, refuse });
    expect(await runTestOf(letter)).toMatchObject({ ok: true });
    const { run: recorded } = letter;
    if (recorded === undefined) throw new Error("no run");
    const other = { ...letter, run: { ...recorded, decision: { result: { type: "done" } } } };
    expect(await runTestOf(other)).toMatchObject({
      ok: false,
      output: expect.stringContaining("1 failed"),
    });
  });

  it("holds live reads, and what they did not find", async () => {
    const config: KubeObject = {
      apiVersion: "bootstrap.sim.capstan.dev/v1beta2",
      kind: "SimBootstrapConfig",
      metadata: { name: "p1", namespace: "default", uid: "uid-b", ownerReferences: [OWNED_BY_P1] },
    };
    const world = {
      snapshots: [config, ...snapshots],
      key: "default/c1|SimBootstrapConfig|default/p1",
      refuse,
    };
    const secret: KubeObject = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "p1-data", namespace: "default", uid: "uid-s" },
    };
    const found = await letterOfFailure(simBootstrap, { ...world, served: [secret] });
    expect(found.run?.decision).toMatchObject({ result: { type: "failed", reason: "SecretConflict" } });
    const missing = await letterOfFailure(simBootstrap, world);
    expect(missing.run?.decision).toMatchObject({ create: [{ object: { kind: "Secret" } }] });
    expect(testFileOf(missing, join(ROOT, "test/functions/sim/x.test.ts"), sourceOf(missing))).toContain(
      'from "../../../infra/playground/functions/sim/bootstrap.ts"',
    );
    for (const letter of [found, missing]) expect(await runTestOf(letter)).toMatchObject({ ok: true });
  });

  it("decides by the recorded answers to evictions", async () => {
    const letter = await letterOfFailure(evictor(), { snapshots, served: [pod("a")] });
    const file = testFileOf(letter, join(ROOT, "test/functions/pool/x.test.ts"), sourceOf(letter));
    expect(file).toContain('import { settle } from "../../../shared/runtime/write/evictions.ts";');
    expect(file).toMatch(/settle\(await decide\(poolEvict, [^;]*"accepted"[^;]*\] as never\)/);
  });

  it("cannot be turned into other code by names in the letter", () => {
    const key = 'default/c1|A|default/*/"); process.exit(9); ("\n';
    expect(testFileOf(deadLetter({ key }), "x.test.ts", "functions/pool/x.ts")).not.toMatch(
      /^.*[^\\]"\); process\.exit/m,
    );
  });

  it("needs a letter with reads", () => {
    const { run: _, ...bare } = deadLetter();
    expect(() => testFileOf(bare, "x.test.ts", "functions/pool/x.ts")).toThrow("holds no reads");
  });
});
