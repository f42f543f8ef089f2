import { describe, expect, it } from "vitest";
import { likelyDelays } from "../../../../shared/rules/machines/slow-deletion.ts";

describe("likelyDelays", () => {
  it("finds every reason in the words of a drain, in one order", () => {
    const message = [
      "Drain not completed yet (started at 2026-01-01T11:00:00Z):",
      "* Pod a/w: waiting for completion",
      "* Pods a/x, a/y: deletionTimestamp set, but still not removed from the Node",
      "* Pod a/z: failed to evict Pod, forbidden",
      "* Pod a/v: cannot evict pod as it would violate the pod's disruption budget. none left",
    ].join("\n");
    expect(likelyDelays(message)).toEqual([
      "PodDisruptionBudgets",
      "Pods not terminating",
      "Pod eviction errors",
      "Pods not completed yet",
    ]);
    expect(likelyDelays("Drain not completed yet")).toEqual([]);
  });
});
