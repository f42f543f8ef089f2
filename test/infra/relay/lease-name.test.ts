import { describe, expect, it } from "vitest";
import { leaseKey } from "../../../infra/relay/lease-name.ts";

const nameOf = (...scope: readonly string[]) => leaseKey("ns", "capstan-relay", scope).name;

describe("the Lease of processes that share one scope", () => {
  it("carries the scope in its name", () => {
    expect(leaseKey("ns", "capstan-relay")).toEqual({ namespace: "ns", name: "capstan-relay" });
    expect(nameOf("team-a")).toBe("capstan-relay-team-a");
    expect(nameOf("team-a", "Blue_1")).toMatch(/^capstan-relay-team-a-blue-1-[0-9a-f]{10}$/);
  });

  it("is another one for every other scope, also for those that look alike", () => {
    const scopes = [[], ["a-b"], ["a", "b"], ["A-B"], ["a_b"], ["a-b", "c"], ["a", "b-c"], ["a", "b", "c"]];
    expect(new Set(scopes.map((scope) => nameOf(...scope))).size).toBe(scopes.length);
  });

  it("is a valid name, however long the scope is and whatever a label value may have in it", () => {
    const name = nameOf("machinepool-*", "x".repeat(300));
    expect(name).toMatch(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/);
    expect(name.length).toBeLessThanOrEqual(253);
  });
});
