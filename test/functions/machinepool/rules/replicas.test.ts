import { describe, expect, it } from "vitest";
import { defaultReplicas } from "../../../../functions/machinepool/rules/replicas.ts";
import { MAX_SIZE, MIN_SIZE } from "../../../../shared/rules/machines/node-group-size.ts";
import { machinePool } from "../../../support/builders.ts";

describe("defaultReplicas", () => {
  it.each([
    ["1 without annotations", {}, 1],
    ["1 with one of them", { [MIN_SIZE]: "4" }, 1],
    ["the minimum with both", { [MIN_SIZE]: "4", [MAX_SIZE]: "9" }, 4],
    ["not known where one is not a count", { [MIN_SIZE]: "4", [MAX_SIZE]: "many" }, undefined],
    ["not known where one is negative", { [MIN_SIZE]: "-1", [MAX_SIZE]: "9" }, undefined],
  ])("is %s", (_, annotations, expected) => {
    expect(defaultReplicas(machinePool({ metadata: { annotations } }))).toBe(expected);
  });
});
