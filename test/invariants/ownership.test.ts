import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../infra/worker/load.ts";
import {
  appliedElements,
  appliedOutsideStatus,
  type Owned,
  pairs,
  unsettledWriters,
} from "./functions/ownership.ts";

const functions = await loadFunctions();

describe("every field that Capstan writes", () => {
  it("has one writer, or two that take turns", () => {
    expect(unsettledWriters(functions)).toEqual([]);
  });

  it("has two writers only where one of them says so, and a turn that excuses nothing is refused", () => {
    const silent = functions.map(({ spec: { inTurnWith: _, ...spec }, step }) => ({ spec, step }));
    expect(unsettledWriters(silent)).toContainEqual(
      expect.stringMatching(
        /^machinepool-delete and machinepool-guard write MachinePool metadata\.finalizers/,
      ),
    );
    const alone = functions.filter(({ spec }) => spec.name !== "machinepool-guard");
    expect(unsettledWriters(alone)).toContainEqual(
      expect.stringMatching(/^machinepool-delete in turn with machinepool-guard: .* do not write it both/),
    );
  });

  it("is seen to overlap with the whole it is part of, and a provider's kind with its contract", () => {
    const owned = (by: string, kind: string, field: string, contract = false) => ({
      by,
      kind,
      field,
      contract,
    });
    const contracts = new Set(["InfraCluster"]);
    const conflicting = (a: Owned, b: Owned) => pairs([a, b], contracts).length;
    expect(conflicting(owned("a", "A", "status"), owned("b", "A", "status.x"))).toBe(1);
    expect(conflicting(owned("a", "A", "status.x"), owned("b", "A", "status.xy"))).toBe(0);
    expect(conflicting(owned("a", "A", "status"), owned("b", "B", "status"))).toBe(0);
    expect(
      conflicting(owned("a", "InfraCluster", "spec", true), owned("b", "SimCluster", "spec.x", true)),
    ).toBe(1);
  });

  it("is applied as a whole list or map: an apply has no place for one element's path", () => {
    expect(appliedElements(functions)).toEqual([]);
  });

  it("is part of the status where it is applied, since an object's main document is only patched", () => {
    expect(appliedOutsideStatus(functions)).toEqual([]);
  });
});
