import { describe, expect, it } from "vitest";
import { drawNames, type Naming, parseNaming } from "../../../../shared/rules/machines/machine-names.ts";

const VARIABLES = { "cluster.name": "c1", "machineSet.name": "s1" };

function naming(template: string): Naming {
  const parsed = parseNaming(template, VARIABLES);
  if (typeof parsed !== "function") throw new Error(parsed.problem);
  return parsed;
}

const DEFAULT = naming("{{ .machineSet.name }}-{{ .random }}");

describe("a template of names", () => {
  it.each([
    ["{{ .machineSet.name }}-{{ .random }}", "s1-xxxxx"],
    ["{{.cluster.name}}.m-{{.random}}", "c1.m-xxxxx"],
    ["{{ .random }}", "xxxxx"],
  ])("%s gives %s", (template, name) => {
    expect(naming(template)(() => "xxxxx")).toBe(name);
  });

  it("gives names of 63 characters at most, with five random ones more", () => {
    const draws = ["22222", "44444"];
    const long = naming(`${"a".repeat(80)}-{{ .random }}`);
    expect(long(() => draws.shift() ?? "")).toBe(`${"a".repeat(58)}44444`);
  });

  it.each([
    ["{{ .machineSet.name }}", "has no {{ .random }}; add it, it makes each name its own"],
    [
      "{{ .pool }}-{{ .random }}",
      "has {{ .pool }}; the variables are .random, .cluster.name, .machineSet.name",
    ],
    [
      "{{ if true }}{{ .random }}",
      "has {{ if true }}; the variables are .random, .cluster.name, .machineSet.name",
    ],
    ["{{ .random }}-{{", "has a {{ or }} without the other; write both, or neither"],
    [
      "A-{{ .random }}",
      "gives names such as A-bcdfg, which are not DNS names; use lower-case letters, digits and -",
    ],
    [`{{ .random }}${"a".repeat(256)}`, "has more than 256 characters"],
  ])("is refused as %s", (template, problem) => {
    expect(parseNaming(template, VARIABLES)).toEqual({ problem });
  });
});

describe("drawn names", () => {
  const taken: ReadonlySet<string> = new Set();

  it("are the same for one seed and others for every other", () => {
    const names = drawNames(DEFAULT, 100, { seed: "uid-s1/20", taken });
    expect(drawNames(DEFAULT, 100, { seed: "uid-s1/20", taken })).toEqual(names);
    const others = drawNames(DEFAULT, 100, { seed: "uid-s1/21", taken });
    expect(names.filter((name) => others.includes(name))).toEqual([]);
  });

  it("are different, of five characters without vowels, and never taken", () => {
    const names = drawNames(DEFAULT, 100, { seed: "a", taken });
    expect(new Set(names).size).toBe(100);
    for (const name of names) expect(name).toMatch(/^s1-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    const further = drawNames(DEFAULT, 100, { seed: "a", taken: new Set(names) });
    expect(further.filter((name) => names.includes(name))).toEqual([]);
  });

  it("use all of the alphabet", () => {
    const names = drawNames(naming("{{ .random }}"), 100, { seed: "b", taken });
    expect(new Set(names.join("")).size).toBe(27);
  });
});
