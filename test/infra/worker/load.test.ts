import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../../infra/worker/load.ts";
import { GROUPS } from "../../../shared/function/groups.ts";

describe("loading functions", () => {
  it("finds all of them by path, sorted by name", async () => {
    const names = (await loadFunctions()).map(({ spec }) => spec.name);
    expect(names).toContain("machinepool-nodes");
    expect(names).toEqual(names.toSorted((a, b) => (a < b ? -1 : 1)));
  });

  it("loads each function once when several patterns name it", async () => {
    const names = (await loadFunctions(["sim-bootstrap", "sim-*"])).map(({ spec }) => spec.name);
    expect(names.filter((name) => name === "sim-bootstrap")).toHaveLength(1);
    expect(names.every((name) => name.startsWith("sim-"))).toBe(true);
  });

  it("S-01: loads a group, beside names", async () => {
    const groups = await Promise.all(GROUPS.map((group) => loadFunctions([group])));
    expect(groups.map((functions) => functions.every(({ spec }) => spec.name.includes("-")))).toEqual([
      true,
      true,
      true,
    ]);
    expect(groups.flat().length).toBe((await loadFunctions()).length);
    const [, workload = []] = groups;
    const names = (await loadFunctions(["workload", "cluster-status"])).map(({ spec }) => spec.name);
    expect(names).toEqual(["cluster-status", ...workload.map(({ spec }) => spec.name)]);
  });

  it("refuses a pattern that matches nothing and says what there is", async () => {
    await expect(loadFunctions(["sim-*", "pool-*"])).rejects.toThrow(
      /^no function matches "pool-\*"; there are .*machinepool-nodes/,
    );
  });

  it("loads them from another folder", async () => {
    const folder = fileURLToPath(new URL("../../support/repaired", import.meta.url));
    expect((await loadFunctions(["pool-*"], folder)).map(({ spec }) => spec.name)).toEqual(["pool-check"]);
    await expect(loadFunctions(["sim-*"], folder)).rejects.toThrow("the functions pool-check");
  });
});
