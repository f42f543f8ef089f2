import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../infra/worker/load.ts";
import { sourcesIn } from "../support/sources.ts";

const ROOT = new URL("../../", import.meta.url);
const functions = await loadFunctions();
const sources = await sourcesIn("functions");
/** `functions/<kind>/<step>.ts`; a kind's rules are in a folder of their own. */
const steps = sources.filter(({ path }) => path.split("/").length === 3);
const paths = steps.map(({ path }) => path);
const elsewhere = sources.filter((source) => !steps.includes(source)).map(({ path }) => path);

/** `machinepool.md 6.1 and 6.2`, `6.4`, `core/reconcilers/cluster/cluster_controller.go`. */
const SECTIONS = /^(?:[a-z-]+\.md(?: |$))?(?:\d+(?:\.\d+)*(?:(?: to | and )\d+(?:\.\d+)*)*)?$/;
const UPSTREAM = /^(?:Cluster API v\d+\.\d+\.\d+|[\w./-]+\.go)$/;

describe("every function", () => {
  it("is one file, and every file under functions is one function", () => {
    // loadFunctions has compared the name with the path of each file that it could find.
    const expected = functions.map(({ spec }) => `functions/${spec.name.replace("-", "/")}.ts`);
    expect(new Set(expected)).toEqual(new Set(paths));
    expect(elsewhere.filter((path) => !/^functions\/[a-z]+\/rules\/[a-z-]+\.ts$/.test(path))).toEqual([]);
  });

  it("has a name that fits field managers, queues and metrics", () => {
    for (const { spec } of functions) expect(spec.name).toMatch(/^(?=.{1,50}$)[a-z0-9]+(?:-[a-z0-9]+)+$/);
  });

  it("is exported under its name in camelCase", async () => {
    for (const { path, code } of steps) {
      const [, name = ""] = path.match(/^functions\/(.*)\.ts$/) ?? [];
      const camel = name.replace(/[/-](.)/g, (_, letter: string) => letter.toUpperCase());
      expect(code).toContain(`export const ${camel} = defineFunction`);
    }
  });

  it("has a test file at the same path", () => {
    const untested = paths.filter((path) => !existsSync(new URL(`test/${path.slice(0, -3)}.test.ts`, ROOT)));
    expect(untested).toEqual([]);
  });

  it("is summed up in one sentence", () => {
    for (const { spec } of functions) expect(spec.summary).toMatch(/^[A-Z][^.]+\.$/);
  });

  it("says where its behaviour comes from", () => {
    const items = functions
      .filter(({ spec }) => spec.source !== "own")
      .flatMap(({ spec }) => spec.source.split(/[;,] /).map((item) => `${spec.name}: ${item}`));
    const odd = items.filter((entry) => {
      const item = entry.slice(entry.indexOf(": ") + 2);
      return item === "" || !(SECTIONS.test(item) || UPSTREAM.test(item));
    });
    expect(odd).toEqual([]);
  });
});
