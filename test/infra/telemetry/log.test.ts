import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

const MODULE = new URL("../../../infra/telemetry/log.ts", import.meta.url).href;

/** What a process prints that logs `code`: the log goes to the process's own standard error. */
function logged(level: string, code: string): { readonly stdout: string; readonly lines: readonly object[] } {
  const script = `import { createLog } from ${JSON.stringify(MODULE)}; const log = createLog("${level}"); ${code}`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  return { stdout, lines: stderr.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)])) };
}

describe("the log", () => {
  it("is JSON lines on standard error, from its level on, with errors and without credentials", () => {
    const { stdout, lines } = logged(
      "warn",
      `log.debug({}, "d"); log.info({}, "i");
       log.warn({ key: "k", token: "t", server: { kubeconfig: "c" } }, "w");
       log.error({ error: new Error("broken") }, "e");`,
    );
    expect(stdout).toBe("");
    expect(lines).toEqual([
      expect.objectContaining({
        msg: "w",
        key: "k",
        token: "[Redacted]",
        server: { kubeconfig: "[Redacted]" },
        time: expect.stringMatching(/^\d{4}-.*Z$/),
      }),
      expect.objectContaining({ msg: "e", error: expect.objectContaining({ message: "broken" }) }),
    ]);
  });

  it("says nothing when it is silent", () => {
    expect(logged("silent", 'log.error({}, "e");').lines).toEqual([]);
  });
});
