import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandsIn } from "../support/commands.ts";
import { startCli } from "../support/processes/cli.ts";

describe("traces of `up`, as the guide starts it", () => {
  it("print the way from the example's manifests to Running as a tree", async () => {
    const dir = await mkdtemp(join(tmpdir(), "capstan-trace-"));
    const run = async (line: string) => {
      const own = line.replaceAll("/tmp/", `${dir}/`).replace("npm start --", "npm run capstan -- up");
      const [, variables = "", args = ""] = /^((?:[A-Z_]+=\S+ )*)npm run capstan -- (.*)$/.exec(own) ?? [];
      const env = Object.fromEntries(
        variables.split(" ").flatMap((each) => (each === "" ? [] : [each.split("=") as [string, string]])),
      );
      await using cli = startCli(args.split(" "), { HOME: dir, ...env });
      expect(await cli.ended, cli.output()).toBe(0);
      return cli.output();
    };
    const [start = "", trace = "", ...more] = await commandsIn("infra/guides/operate.md", "Traces");
    expect(more).toEqual([]);
    await run(start);
    const tree = await run(trace);
    expect(tree).toMatch(/^default\/demo, trace [0-9a-f]{32}, \S+Z$/m);
    expect(tree).toMatch(/^├─ \+\d+ ms Cluster default\/demo added/m);
    expect(tree).toMatch(/^│ {2}[├└]─ \+\d+ ms cluster-guard: waited \d+ ms, ran \d+ ms$/m);
    expect(tree).toMatch(/apply MachinePool\/status default\/\S+: 200 after \d+ ms, phase Running/);
    await rm(dir, { recursive: true });
  });
});
