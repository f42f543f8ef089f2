import { describe, expect, it } from "vitest";
import { renewalDueMs, serverOf } from "../../../../shared/rules/credentials/kubeconfig.ts";
import { kubeconfigSummary } from "../../../support/secret-summaries.ts";
import { NOW } from "../../../support/world.ts";

function until(seconds: number): string {
  return new Date(NOW.getTime() + seconds * 1_000).toISOString();
}

describe("the renewal of a kubeconfig", () => {
  it.each([
    [10, 5_000],
    [6, 1_000],
    [5, 0],
    [4, 0],
    [-100, 0],
  ])("of one for 10 s that has %i s left is due in %i ms", (left, inMs) => {
    expect(renewalDueMs(kubeconfigSummary(until(left)), 10, NOW)).toBe(inMs);
  });

  it("counts from the issue, although the certificate began with its authority years ago", () => {
    const old = kubeconfigSummary(until(9), {
      kubeconfig: { certificate: { notBefore: "2000-01-01T00:00:00Z" } },
    });
    expect(renewalDueMs(old, 10, NOW)).toBe(4_000);
  });

  it("is never due without a client certificate", () => {
    const token = kubeconfigSummary(until(1), { kubeconfig: { certificate: undefined } });
    expect(renewalDueMs(token, 10, NOW)).toBeUndefined();
  });
});

it.each([
  ["c1.example.com", "https://c1.example.com:6443"],
  ["10.0.0.1", "https://10.0.0.1:6443"],
  ["fd00::1", "https://[fd00::1]:6443"],
  ["[fd00::1]", "https://[fd00::1]:6443"],
])("the server at %s is %s", (host, server) => {
  expect(serverOf({ host, port: 6443 })).toBe(server);
});
