import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../../infra/worker/load.ts";
import { KINDS } from "../../../shared/api/registry.ts";
import { PROVIDERS, providerOf } from "../../../shared/function/providers.ts";

describe("the provider of a kind", () => {
  it("is one of the simulated ones for their groups, else that of Cluster API", () => {
    const groups = new Set(KINDS.filter(({ crd }) => crd !== undefined).map(({ group }) => group));
    const sim = [...groups].filter((group) => group.endsWith(".sim.capstan.dev"));
    expect(sim.length).toBeGreaterThan(2);
    expect(sim.map(providerOf)).not.toContain("cluster-api");
    const others = [...groups].filter((group) => !sim.includes(group));
    expect(new Set(others.map(providerOf))).toEqual(new Set(["cluster-api"]));
  });

  it("divides the functions: each belongs to one, and each provider has some", async () => {
    const byProvider = await Promise.all(PROVIDERS.map((provider) => loadFunctions([provider])));
    const names = byProvider.map((functions) => functions.map(({ spec }) => spec.name));
    for (const some of names) expect(some).not.toEqual([]);
    const all = (await loadFunctions()).map(({ spec }) => spec.name);
    expect(names.flat().sort()).toEqual(all.toSorted());
    expect(names[0]).toEqual(all.filter((name) => !name.startsWith("sim-")));
  });
});
