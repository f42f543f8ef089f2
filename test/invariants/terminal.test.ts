import { describe, expect, it } from "vitest";
import { sourcesIn } from "../support/sources.ts";

/** The modules that escape what goes to the terminal. */
const MAY_WRITE = ["infra/platform/terminal/print.ts", "infra/cli/terminal/log.ts"];

describe("every command", () => {
  it("writes to the terminal through one module, so that text of others is always escaped", async () => {
    const sources = await sourcesIn("infra/cli");
    expect(sources.length).toBeGreaterThan(30);
    const direct = sources.filter(
      ({ path, code }) =>
        !MAY_WRITE.includes(path) &&
        /\bconsole\.(?:debug|dir|error|info|log|table|trace|warn)\b|(?:stdout|stderr)\.write|writeSync\((?:1|2)\b/.test(
          code,
        ),
    );
    expect(direct.map(({ path }) => path)).toEqual([]);
  });
});
