import { describe, expect, it } from "vitest";
import { said } from "../../../../support/contract/life.ts";

describe("an InfraCluster that another system manages", () => {
  it.each([
    ["is left alone", [], "pass"],
    ["is written to", ["status"], "warn"],
  ])("%s", (_, written, verdict) => {
    const how = { title: "FooCluster c1", contractKind: "InfraCluster", verdicts: ["pass", "warn"] } as const;
    expect(said({ managed: { written } }, how)).toEqual([`${verdict} IC-20`]);
  });
});
