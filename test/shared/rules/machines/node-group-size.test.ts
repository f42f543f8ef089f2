import { describe, expect, it } from "vitest";
import { MAX_SIZE, MIN_SIZE, nodeGroupSize } from "../../../../shared/rules/machines/node-group-size.ts";
import { machinePool } from "../../../support/builders.ts";

describe("nodeGroupSize", () => {
  it.each([
    [{}, undefined],
    [{ [MIN_SIZE]: "1" }, undefined],
    [
      { [MIN_SIZE]: "1", [MAX_SIZE]: "9" },
      { min: 1, max: 9 },
    ],
    [{ [MIN_SIZE]: "-1", [MAX_SIZE]: "9" }, "malformed"],
  ])("of %j is %j", (annotations, expected) => {
    expect(nodeGroupSize(machinePool({ metadata: { annotations } }))).toEqual(expected);
  });
});
