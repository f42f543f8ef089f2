import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../../infra/worker/load.ts";
import { reconcilersOf } from "../../../shared/function/reconcilers.ts";

describe("reconcilersOf", () => {
  it("gives the functions of a kind in their order, and none for a kind of another group", async () => {
    const functions = await loadFunctions();
    const kind = "MachineHealthCheck";
    const names = (group: string) => reconcilersOf(functions, { group, kind }).map(({ spec }) => spec.name);
    expect(names("cluster.x-k8s.io")).toEqual(["mhc-guard", "mhc-machines", "mhc-requests", "mhc-status"]);
    expect(names("other.io")).toEqual([]);
  });
});
