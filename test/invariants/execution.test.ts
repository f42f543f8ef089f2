import { describe, expect, it } from "vitest";
import { type Source, sourcesIn } from "../support/sources.ts";

const sources = (await Promise.all(["shared", "functions", "infra"].map(sourcesIn))).flat();

/** Each way to turn text into code, or into a command. */
const WAYS: readonly (readonly [way: string, pattern: RegExp])[] = [
  ["eval", /(?<![.\w])eval\(|\bglobalThis\s*(?:\.eval|\[)/],
  ["new Function", /\bnew Function\b|(?<![.\w])Function\(/],
  ["a constructor by name", /\.constructor\s*\(|\[\s*["'`]constructor["'`]\s*\]\s*\(/],
  [
    "a module of Node.js that runs code or commands",
    /["']node:(?:child_process|vm|worker_threads|cluster|repl|inspector)\b|["']child_process["']/,
  ],
  ["import of a name that is not a literal", /\bimport\(\s*(?!")|\brequire\(\s*(?!")/],
  ["native code", /\bprocess\.(?:dlopen|binding)\b|\bWebAssembly\b/],
  ["a timer that takes code", /\bset(?:Timeout|Interval)\(\s*["'`]/],
];

/** Returns `path: way` for each way that a source takes. */
function waysIn(given: readonly Source[]): readonly string[] {
  return given.flatMap(({ path, code }) =>
    WAYS.filter(([, pattern]) => pattern.test(code)).map(([way]) => `${path}: ${way}`),
  );
}

/** They run on the machine of a developer: they install packages and build images, and no other module imports them. */
const TOOLS = /^infra\/deploy\/(?:setup\.ts|image\/)/;

describe("text of others", () => {
  it("S-51: never becomes code or a command in functions, shared code, relay and worker", () => {
    expect(waysIn(sources.filter(({ path }) => !TOOLS.test(path)))).toEqual([
      // From sources, a child process builds the console's page: a fixed file of ours, and a folder that this process made.
      "infra/console/open-page.ts: a module of Node.js that runs code or commands",
      // The program is the file beside it; a letter reaches it as data.
      "infra/operate/replay/replay-apart.ts: a module of Node.js that runs code or commands",
      // A text of ours, `gc`: as an option of the command it would make each start slower.
      "infra/worker/give-back-memory.ts: a module of Node.js that runs code or commands",
      // The folder of the functions: the operator names it.
      "infra/worker/load.ts: import of a name that is not a literal",
    ]);
  });

  it.each([
    "eval(text);",
    "globalThis.eval(text);",
    'globalThis["eval"](text);',
    "new Function(text)();",
    "Function(text)();",
    'import { execFile } from "node:child_process";',
    'const { runInThisContext } = await import("node:vm");',
    "await import(`./${name}.ts`);",
    "await import(name);",
    "require(name);",
    'setTimeout("text", 1);',
    "(() => 1).constructor(text)();",
    "process.dlopen(module, file);",
  ])("S-51: would be found as %s", (code) => {
    expect(waysIn([{ path: "a.ts", code }])).toHaveLength(1);
  });

  it("S-51: may be the name of a method", () => {
    expect(waysIn([{ path: "a.ts", code: "redis.eval(script, 1, key); template.evaluate(x);" }])).toEqual([]);
  });
});
