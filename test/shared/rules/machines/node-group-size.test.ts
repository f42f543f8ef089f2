import { describe, expect, it } from "vitest";
import {
  defaultReplicas,
  MAX_SIZE,
  MIN_SIZE,
  nodeGroupSize,
} from "../../../../shared/rules/machines/node-group-size.ts";
import { machinePool } from "../../../support/builders.ts";
import { machineSet } from "../../../support/foo-sets.ts";

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

const RANGE = { [MIN_SIZE]: "2", [MAX_SIZE]: "5" };

describe("the replicas of a set or a pool that says none", () => {
  it.each([
    ["1", {}, undefined, 1],
    ["1 with one annotation", { [MIN_SIZE]: "2" }, undefined, 1],
    ["the minimum at first", RANGE, undefined, 2],
    ["what it has, within the range", RANGE, 4, 4],
    ["the minimum when it has less", RANGE, 1, 2],
    ["the maximum when it has more", RANGE, 9, 5],
    ["unknown where one is not a count", { ...RANGE, [MAX_SIZE]: "many" }, 4, undefined],
    ["unknown where one is negative", { ...RANGE, [MIN_SIZE]: "-1" }, 4, undefined],
  ])("are %s", (_, annotations, replicas, expected) => {
    const status = replicas === undefined ? undefined : { replicas };
    expect(defaultReplicas(machineSet({ metadata: { annotations }, status }))).toBe(expected);
    expect(defaultReplicas(machinePool({ metadata: { annotations }, status }))).toBe(expected);
  });
});
