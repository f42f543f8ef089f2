import { describe, expect, it } from "vitest";
import { storedValues } from "../../../../../../infra/playground/functions/sim/rules/stored-values.ts";
import { cluster } from "../../../../../support/builders.ts";

describe("storedValues", () => {
  it("names every owned field: the stored value, and undefined for one that is not stored", () => {
    const object = cluster({
      status: { phase: "Provisioned", initialization: { infrastructureProvisioned: true } },
    });
    const owned = [
      "status.phase",
      "status.initialization.infrastructureProvisioned",
      "status.conditions",
    ] as const;
    const stored = storedValues(object, owned);
    expect(stored).toEqual({
      "status.phase": "Provisioned",
      "status.initialization.infrastructureProvisioned": true,
      "status.conditions": undefined,
    });
    expect(Object.keys(stored)).toEqual(owned);
  });
});
