import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

const MODULE = new URL("../../../../infra/worker/telemetry/log.ts", import.meta.url).href;

/** Returns the output of a process that logs `code`: the log goes to the process's own standard error. */
function logged(
  level: string,
  code: string,
): { readonly stdout: string; readonly raw: string; readonly lines: readonly object[] } {
  const script = `import { createLog } from ${JSON.stringify(MODULE)}; const log = createLog("${level}"); ${code}`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  const lines = stderr.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  return { stdout, raw: stderr, lines };
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

  it("asks a field that is a function for its value when its line is written, and hides credentials there, too", () => {
    const { lines } = logged(
      "info",
      `log.debug({ read: () => { throw new Error("asked") } }, "d"); log.info({ read: () => [{ token: "t" }] }, "i");`,
    );
    expect(lines).toEqual([expect.objectContaining({ msg: "i", read: [{ token: "[Redacted]" }] })]);
  });

  it("hides credentials in every text, also of errors, their causes and messages", () => {
    const canary = "c4n4ry-s3cr3t-v4lue";
    const { lines } = logged(
      "info",
      `const secret = "Authorization: Basic ${canary}";
       log.info({ text: secret, list: [{ a: secret }], date: new Date(0), count: 1 }, "m " + secret);
       log.info({ error: new Error(secret, { cause: new Error("https://a:${canary}@b") }) }, "e");
       log.info({ failure: { reason: "R", message: secret }, password: "${canary}" }, "f");
       const loop = {}; loop.loop = loop; log.info(loop, "l");`,
    );
    expect(JSON.stringify(lines)).not.toContain(canary);
    expect(lines).toMatchObject([
      { text: "Authorization: Basic hmac-sha256:*", date: "1970-01-01T00:00:00.000Z", count: 1 },
      { error: { type: "Error", message: expect.stringContaining("hmac-sha256:*") } },
      { failure: { reason: "R", message: "Authorization: Basic hmac-sha256:*" }, password: "[Redacted]" },
      { msg: "l" },
    ]);
  });

  it("S-53: is one line each, in which no character moves the cursor, reverses a text or forges a line", () => {
    const hostile = `a\u001b[2J\u0007\r\n{"level":50}\u0000\u007f\u009b31m\u2028\u202e\u200b\ud800 é`;
    const { lines, raw } = logged(
      "info",
      `const text = ${JSON.stringify(hostile)};
       log.info({ text, list: [text], [text]: 1, error: new Error(text) }, "m " + text);`,
    );
    expect(lines).toEqual([
      expect.objectContaining({ text: hostile, list: [hostile], [hostile]: 1, msg: `m ${hostile}` }),
    ]);
    expect(raw.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(raw).toContain("\\u001b[2J");
    expect(raw).toContain("\\u009b31m");
    expect(raw).toContain(" é");
  });

  it("says nothing when it is silent", () => {
    expect(logged("silent", 'log.error({}, "e");').lines).toEqual([]);
  });
});
