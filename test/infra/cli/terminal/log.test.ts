import { describe, expect, it } from "vitest";
import { openLog, prettyWriter } from "../../../../infra/cli/terminal/log.ts";
import { createLog } from "../../../../infra/worker/telemetry/log.ts";

function linesFor(work: (log: ReturnType<typeof createLog>) => void): string {
  let text = "";
  const write = (line: string) => {
    text += line;
  };
  work(createLog("info", { write: prettyWriter(write, false) }));
  return text;
}

describe("the log on a terminal", () => {
  it("has a line for people per message, with its fields", () => {
    expect(linesFor((log) => log.warn({ loop: "things", failures: 2 }, "the watch failed"))).toMatch(
      /^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: the watch failed \{"loop":"things","failures":2\}\n$/,
    );
  });

  it("is one line whatever the message quotes, and shows the stack of an error", () => {
    const hostile = "\u001b]0;owned\u0007\n[00:00:00.000] INFO: all is well\u202e\u009b2J";
    const text = linesFor((log) => {
      log.warn({ node: hostile, [hostile]: 1 }, hostile);
      log.error({ error: new Error(hostile) }, "broken");
    });
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text.split("\n").filter((line) => line.startsWith("["))).toHaveLength(2);
    expect(text).toMatch(/\n {4}.*stack.*\n(?: +at .*\n)+/s);
  });

  it("says nothing below its level", () => {
    let text = "";
    openLog("silent", (line) => {
      text += line;
    }).error({}, "e");
    expect(text).toBe("");
  });
});
