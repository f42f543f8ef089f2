import { describe, expect, it, vi } from "vitest";
import { describeWith, type Missing } from "./requires.ts";
import { leftOut, type Task } from "./skipped-reporter.ts";

const redis = { reason: "no redis-server; apt-get install redis-server", optional: false };
const shared = { reason: "/shared/data does not exist", optional: true, byName: true };
const real = { reason: "KUBEBUILDER_ASSETS is not set", optional: true };

function skipped(missing: Missing | undefined): Task {
  const module: Task = { type: "module", name: "", meta: () => ({}) };
  const suite: Task = { type: "suite", name: "CRDs", meta: () => ({ missing }), parent: module };
  return { type: "test", name: "are alike", meta: () => ({}), parent: suite };
}

describe("tests that lack a server", () => {
  it("are listed with their number, those that CI needs first", () => {
    expect(leftOut([skipped(real), skipped(redis), skipped(undefined), skipped(redis)])).toEqual([
      "Not run: no redis-server; apt-get install redis-server [2 tests]",
      "Not run (optional): KUBEBUILDER_ASSETS is not set [1 test]",
    ]);
  });

  it("are named where what they lack lies beside the repository", () => {
    expect(leftOut([skipped(shared), skipped(shared), skipped(redis)])).toEqual([
      "Not run: no redis-server; apt-get install redis-server [1 test]",
      "Not run (optional): /shared/data does not exist [2 tests]",
      "  CRDs > are alike",
      "  CRDs > are alike",
    ]);
  });

  it("fail their file with the reason when CI is set, unless they are optional", () => {
    vi.stubEnv("CI", "1");
    try {
      expect(() => describeWith(redis.reason)).toThrow(redis.reason);
      expect(() => describeWith(real.reason, real)).not.toThrow();
      expect(describeWith(undefined)).toBe(describe);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
