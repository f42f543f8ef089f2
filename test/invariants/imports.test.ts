import { describe, expect, it } from "vitest";
import { SIM_KINDS } from "../../infra/playground/api/kinds.ts";
import { loadFunctions } from "../../infra/worker/load.ts";
import { CORE_PROVIDER, providerOf } from "../../shared/function/providers.ts";
import { importsOf, type Source, sourcesIn } from "../support/sources.ts";
import { foreignImports, impure } from "./functions/imports.ts";

const [shared, functions, infra, tests] = await Promise.all(
  ["shared", "functions", "infra", "test"].map(sourcesIn),
);
const steps = [...(functions ?? []), ...(await sourcesIn("infra/playground/functions"))];
const types = await sourcesIn("infra/playground/api");
const product = [...(shared ?? []), ...(functions ?? []), ...(infra ?? [])];
/** Each imports those before it. */
const LAYERS = ["redaction", "api", "contract", "function", "rules", "runtime"].map(
  (name) => `shared/${name}`,
);

/** The rooms of infra by floor: each imports those of the floors beneath it. `deploy` and `cli` put them together. */
const FLOORS = [
  ["platform"],
  ["relay", "queue", "providers"],
  ["worker"],
  ["operate"],
  ["console"],
  ["deploy"],
  ["playground"],
  ["cli"],
];
/** Rooms that can be taken away: only those who put the rooms together know them. */
const FREEZABLE = ["console", "providers", "playground"];

function roomOf(path: string): string | undefined {
  return /^infra\/([^/]+)\//.exec(path)?.[1];
}

function importing(sources: readonly Source[] | undefined, forbidden: (name: string) => boolean) {
  return (sources ?? []).flatMap((source) =>
    importsOf(source)
      .filter(forbidden)
      .map((name) => `${source.path} imports ${name}`),
  );
}

/** Returns the nodes (files or folders) whose imports lead back to themselves. */
function circlesOf(nodeOf: (path: string) => string): readonly string[] {
  const edges = new Map<string, Set<string>>();
  for (const source of product) {
    const from = nodeOf(source.path);
    const to = edges.get(from) ?? new Set();
    edges.set(from, to);
    for (const name of importsOf(source))
      if (/^(?:shared|functions|infra)\//.test(name) && nodeOf(name) !== from) to.add(nodeOf(name));
  }
  const reached = (start: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const open = [...(edges.get(start) ?? [])];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (found.has(node)) continue;
      found.add(node);
      open.push(...(edges.get(node) ?? []));
    }
    return found;
  };
  return [...edges.keys()].filter((node) => reached(node).has(node)).toSorted((a, b) => (a < b ? -1 : 1));
}

function containing(sources: readonly Source[] | undefined, pattern: RegExp): readonly string[] {
  return (sources ?? []).filter(({ code }) => pattern.test(code)).map(({ path }) => path);
}

describe("imports go one way: shared ← functions ← infra", () => {
  it("shared knows itself, zod, semver and the hash function of Node.js", () => {
    const others = new Set(["zod", "semver/classes/semver.js", "node:crypto"]);
    const known = (name: string) => name.startsWith("shared/") || others.has(name);
    expect(importing(shared, (name) => !known(name))).toEqual([]);
  });

  it("shared goes from what an object is to what runs a function, and never back", () => {
    const back = LAYERS.flatMap((layer, at) => {
      const later = LAYERS.slice(at + 1);
      const inLayer = (shared ?? []).filter(({ path }) => path.startsWith(`${layer}/`));
      return importing(inLayer, (name) => later.some((other) => name.startsWith(`${other}/`)));
    });
    expect(back).toEqual([]);
    const isKnown = ({ path }: Source) => LAYERS.some((layer) => path.startsWith(`${layer}/`));
    expect((shared ?? []).filter((source) => !isKnown(source)).map(({ path }) => path)).toEqual([]);
  });

  it("a kind knows itself and shared, but not what runs it", () => {
    expect((functions ?? []).length).toBeGreaterThan(0);
    expect(foreignImports(functions ?? [])).toEqual([]);
  });

  it("no file and no room imports itself by way of others", () => {
    const part = (path: string, length: number) => path.split("/").slice(0, length).join("/");
    expect(circlesOf((path) => path)).toEqual([]);
    expect(circlesOf((path) => part(path, 2))).toEqual([]);
    // Folders of a room, such as infra/playground/apiserver/rest.
    expect(circlesOf((path) => part(path, 3))).toEqual([]);
  });

  it("the embedded API server has one entry", () => {
    const outside = [...product, ...(tests ?? [])].filter(
      ({ path }) => !/^(?:test\/)?infra\/playground\/apiserver\//.test(path),
    );
    const inside = (name: string) => name.startsWith("infra/playground/apiserver/") && name.endsWith(".ts");
    expect(importing(outside, inside).length).toBeGreaterThan(0);
    expect(
      importing(outside, (name) => inside(name) && name !== "infra/playground/apiserver/entry.ts"),
    ).toEqual([]);
  });

  it("infra has ten rooms, and each knows those of the floors beneath it", () => {
    const rooms = new Set((infra ?? []).map(({ path }) => roomOf(path)));
    expect([...rooms].toSorted()).toEqual(FLOORS.flat().toSorted());
    const back = FLOORS.flatMap((floor, at) => {
      const beneath = new Set(FLOORS.slice(0, at).flat());
      return floor.flatMap((room) => {
        const inRoom = (infra ?? []).filter(({ path }) => roomOf(path) === room);
        const isBack = (to: string | undefined) => to !== undefined && to !== room && !beneath.has(to);
        return importing(inRoom, (name) => isBack(roomOf(name)));
      });
    });
    expect(back).toEqual([]);
  });

  it("console, providers and playground can be taken away: the command line opens them, and a release has rights and pages of the console", () => {
    const others = product.filter(
      ({ path }) => !["deploy", "cli", ...FREEZABLE].includes(roomOf(path) ?? ""),
    );
    expect(importing(others, (name) => FREEZABLE.includes(roomOf(name) ?? ""))).toEqual([]);
  });

  it("infra finds functions by name, and nothing knows the tests", () => {
    expect(importing(infra, (name) => name.startsWith("functions/"))).toEqual([]);
    expect(importing(product, (name) => name.startsWith("test/"))).toEqual([]);
  });

  it("the core names no kind and no function of the playground", async () => {
    const ofSim = (await loadFunctions()).filter(({ spec }) => providerOf(spec.reconciles) !== CORE_PROVIDER);
    const names = [
      ...SIM_KINDS.map(({ kind }) => kind),
      ...ofSim.map(({ spec }) => spec.name),
      "sim.capstan.dev",
    ];
    expect(names.length).toBeGreaterThan(30);
    const core = product.filter(({ path }) => /^(?:functions|shared|infra\/relay)\//.test(path));
    const naming = core.flatMap(({ path, code }) =>
      names
        .filter((name) => new RegExp(`\\b${name.replaceAll(".", "\\.")}\\b`).test(code))
        .map((name) => `${path}: ${name}`),
    );
    expect(naming).toEqual([]);
  });

  it("a backend is one folder and one line: nothing else asks which one a URL names, or opens a part of one", () => {
    const outside = product.filter(({ path }) => !path.startsWith("infra/queue/backends/"));
    expect(
      containing(outside, /[!=]== "memory"|startsWith\("(?:redis|rediss|sqs)\b|redis [!=]== undefined/),
    ).toEqual([]);
    const drivers = /^infra\/queue\/backends\/redis\/(?!server\/)/;
    expect(importing(outside, (name) => drivers.test(name))).toEqual([]);
  });

  it("every file of ours is imported with its extension", () => {
    const ours = (name: string) => /^(?:shared|functions|infra)\//.test(name);
    expect(importing(product, (name) => ours(name) && !/\.(?:tsx?|json)$/.test(name))).toEqual([]);
  });

  it("the Kubernetes client library is loaded in one place, lazily: it costs 290 ms and 90 MB", () => {
    const library = (name: string) => name.startsWith("@kubernetes/client-node");
    expect(importing(product, library)).toEqual([
      "infra/platform/kube/kubeconfig-plugins.ts imports @kubernetes/client-node",
    ]);
    expect(containing(product, /(?<!\btype\b[^"]*)\bfrom\s*"@kubernetes\/client-node/)).toEqual([]);
  });

  it("no value of node:http is imported: that would load undici, 10 MB of each process", () => {
    const value = /^import (?!type )[^;]*\bfrom "node:http";/m;
    expect(containing(product, value)).toEqual([]);
  });

  it("YAML is read and written in one place, by a parser of linear time (decision record 7)", () => {
    const outside = importing(product, (name) => name === "yaml" || name === "js-yaml").filter(
      (found) => !found.startsWith("infra/platform/yaml/"),
    );
    expect(outside).toEqual([]);
  });
});

describe("what a run depends on comes in through ports", () => {
  it("the environment is read in one place", () => {
    // infra/deploy/setup.ts is a script of its own: it hands its environment on to apt-get.
    expect(containing(product, /\bprocess\.env\b/)).toEqual([
      "infra/deploy/setup.ts",
      "infra/platform/config.ts",
    ]);
  });

  it("functions and shared have neither clock nor chance nor timers, print nothing and stop nothing", () => {
    expect(impure([...(shared ?? []), ...types, ...steps])).toEqual([]);
    expect(impure([{ path: "a.ts", code: "const now = Date.now();" }])).toEqual(["a.ts"]);
    expect(impure([{ path: "a.ts", code: "process.exit(1);" }])).toEqual(["a.ts"]);
  });
});
