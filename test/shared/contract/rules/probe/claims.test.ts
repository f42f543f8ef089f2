import { describe, expect, it } from "vitest";
import type { ClaimTrial } from "../../../../../shared/contract/rules/probe/subject.ts";
import { said } from "../../../../support/contract/life.ts";

const ALL = ["pass", "fail", "warn", "unknown"];

describe("claims of addresses in the life of a Cluster", () => {
  it.each<[string, Partial<ClaimTrial>, string]>([
    ["rests and serves a claim later", {}, "pass IP-16"],
    ["writes for a paused Cluster", { paused: ["status.addressRef"] }, "fail IP-16"],
    ["writes for a missing Cluster", { missing: ["metadata.finalizers"] }, "fail IP-16"],
    ["never serves a claim", { isServed: false }, "unknown IP-16"],
  ])("IP-16: judge a provider that %s", (_, trial, expected) => {
    const usual = { paused: [], missing: [], isServed: true };
    const life = { claims: new Map([["FooPool p1", { ...usual, ...trial }]]) };
    expect(said(life, { contractKind: "IPAMPool", verdicts: ALL })).toEqual([expected]);
  });
});
