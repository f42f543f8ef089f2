import { describe, expect, it } from "vitest";
import { commute, type Footprint } from "./independence.ts";

const write = (object: string, kind: string): Footprint => ({
  reads: [],
  writes: [`object ${object}`, `kind ${kind}`],
});
const claim = (functionName: string): Footprint => ({
  reads: ["read model"],
  writes: [`ledger ${functionName}`],
});
const line: Footprint = { reads: [], writes: ["process relay", "read model"] };
const anything: Footprint = { reads: [], writes: ["everything"] };

describe("two steps commute", () => {
  it("when none of them changes what the other one looks at or changes", () => {
    expect(commute(write("p1", "machinepools"), line)).toBe(true);
    expect(commute(claim("machinepool-guard"), claim("machinepool-adopt"))).toBe(true);
  });

  it("but not when they write objects of one kind, which the relay receives in this order", () => {
    expect(commute(write("p1", "machinepools"), write("p2", "machinepools"))).toBe(false);
  });

  it("but not when a run would read what the relay stores", () => {
    expect(commute(line, claim("machinepool-guard"))).toBe(false);
    expect(commute(claim("machinepool-guard"), line)).toBe(false);
  });

  it("but not with a step that may change everything", () => {
    expect(commute(anything, { reads: [], writes: [] })).toBe(false);
    expect(commute({ reads: [], writes: [] }, anything)).toBe(false);
  });
});
