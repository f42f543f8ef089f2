import { describe, expect, it } from "vitest";
import {
  type ExplainedFunction,
  functionState,
} from "../../../../../infra/console/page/tree/function-state.ts";

const state = (more: Partial<ExplainedFunction>) =>
  functionState({ function: "f", key: "k", now: { wouldSend: [] }, ...more });

describe("how a function stands", () => {
  it.each([
    ["nothing to do", {}, "healthy"],
    ["runs now", { history: { state: { state: "running", causes: [], failures: 0 } } }, "progressing"],
    ["is in the queue", { history: { state: { state: "ready", causes: [], failures: 0 } } }, "progressing"],
    ["would send apply A/status a/b", { now: { wouldSend: ["apply A/status a/b"] } }, "progressing"],
    [
      "runs again in 2m: grace period",
      { now: { wouldSend: [], againAfterMs: 120_000, why: "grace period" } },
      "healthy",
    ],
    [
      "would fail: R: m",
      { now: { wouldSend: [], failure: { class: "Terminal", reason: "R", message: "m" } } },
      "failing",
    ],
    ["the read model is not complete yet", { now: { wouldSend: [], notListed: true } }, "unknown"],
    ["depends on a live read: list Pod", { now: { wouldSend: [], notRead: "list Pod" } }, "healthy"],
    [
      "waits for Cluster.status.phase, which is Pending; it is being deleted: why",
      {
        now: {
          wouldSend: [],
          waitsFor: { what: "Cluster.status.phase", value: "Pending", isGoing: true, reason: "why" },
        },
      },
      "waiting",
    ],
  ] as const)("%s", (text, more, mark) => {
    expect(state(more as Partial<ExplainedFunction>)).toMatchObject({ text, mark });
  });

  it("a wait leads to the object that is waited for", () => {
    const now = { wouldSend: [], waitsFor: { what: "Cluster.status.phase", object: "Cluster a/b" } };
    expect(state({ now }).place).toEqual({ type: "cluster", namespace: "a", name: "b" });
  });
});
