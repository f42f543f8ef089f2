import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../../infra/worker/load.ts";
import { providerOf } from "../../../shared/function/providers.ts";
import { ALL_KINDS } from "../../support/all-kinds.ts";

const PROVIDERS = [...new Set(ALL_KINDS.map(providerOf))];

describe("the provider of a kind", () => {
  it("is one of the simulated ones for their groups, else that of Cluster API", () => {
    const kinds = ALL_KINDS.filter(({ crd }) => crd !== undefined);
    const [sim, others] = [true, false].map((isOfSim) =>
      kinds.filter(({ group }) => group.endsWith(".sim.capstan.dev") === isOfSim).map(providerOf),
    );
    expect(sim?.length).toBeGreaterThan(2);
    expect(sim).not.toContain("cluster-api");
    expect(new Set(others)).toEqual(new Set(["cluster-api"]));
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
