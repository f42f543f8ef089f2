import { describe, expect, it } from "vitest";
import { textOfFolded } from "../../../../infra/cli/explain/explain-text.ts";
import type { Explained, ExplainedFunction } from "../../../../infra/operate/explain/explain-tree.ts";
import type { KeyState } from "../../../../shared/runtime/queue/queue-port.ts";

const NOW = new Date("2026-01-01T12:00:00Z");
const KEY = "default/c1|MachinePool|default/p1";
const LAST_RUN = {
  runId: "r1",
  endedAt: "2026-01-01T11:59:50Z",
  durationMs: 4,
  causes: [{ what: "Node n1", resourceVersion: "7" }],
  outcome: "ok",
  writes: [{ verb: "patch", cluster: "default/c1", what: "Node n1", changes: [] }],
} as const;

function textOf(fn: Partial<ExplainedFunction>, rest: Partial<Explained> = {}): readonly string[] {
  const explained: Explained = {
    object: "MachinePool default/p1",
    phase: "Running",
    nodes: "3 of 3",
    conditions: [],
    functions: [{ function: "machinepool-nodes", key: KEY, now: { wouldSend: [] }, ...fn }],
    children: [],
    more: [],
    ...rest,
  };
  return textOfFolded({ explained, causes: [], idle: 0 }, NOW);
}
const inState = (state: Partial<KeyState>) => ({
  history: {
    state: { state: "waiting", causes: [], failures: 0, ...state },
  } as ExplainedFunction["history"] & object,
});

describe("the text of an explanation", () => {
  it("is one line for an idle function without queue", () => {
    expect(textOf({})).toEqual([
      "MachinePool default/p1  Running  3 of 3 Nodes",
      "└─ machinepool-nodes  nothing to do",
    ]);
  });

  it("says what it last did and why, and that only an event brings it back", () => {
    expect(textOf({ history: { lastRun: LAST_RUN } }).slice(1)).toEqual([
      "└─ machinepool-nodes  nothing to do; next run on an event",
      "     last run  10s ago because of Node n1@7: patch Node n1 in default/c1 (4 ms, run r1)",
    ]);
  });

  it("says why a write that would be sent is not queued: no relay saw the change, or the same write changed nothing", () => {
    const would = (title: string) =>
      textOf({ now: { wouldSend: [title] }, history: { lastRun: LAST_RUN } })[1];
    expect(would("apply MachinePool/status default/p1")).toContain(
      "nothing is queued: the relay has not seen it",
    );
    expect(would("patch Node n1 in default/c1")).toContain("its last run sent the same and changed nothing");
  });

  it("says no age of a write whose time the API server does not say", () => {
    const wrote = (at: object) => textOf({ lastWrote: { ...at, fields: ["status.phase"] } })[2];
    expect(wrote({ at: "2026-01-01T11:59:00Z" })).toMatch(/wrote +60s ago: status.phase$/);
    expect(wrote({})).toMatch(/wrote +at a time that is not known: status.phase$/);
  });

  it("says when it runs again, in hours and days where that is long", () => {
    const again = (againAfterMs: number) => textOf({ now: { wouldSend: [], againAfterMs } })[1];
    expect(again(20_000)).toContain("runs again in 20s");
    expect(again(2.5 * 3_600_000)).toContain("runs again in 2h");
    expect(again(182.5 * 24 * 3_600_000)).toContain("runs again in 182d");
  });

  it("names what is waited for, in one way each", () => {
    const waiting = (waitsFor: object) =>
      textOf({ now: { wouldSend: [], waitsFor: { what: "Cluster.spec.paused", ...waitsFor } } })[1];
    expect(waiting({})).toContain("waits for Cluster.spec.paused");
    expect(
      waiting({ what: "MachineSet: FooTemplate does not exist", object: "MachineSet default/s" }),
    ).toContain("waits for MachineSet default/s: FooTemplate does not exist");
    expect(waiting({ object: "Cluster default/c1", field: "spec.paused", value: true })).toContain(
      "waits for Cluster default/c1: spec.paused is true",
    );
    expect(waiting({ object: "Cluster default/c1", field: "metadata.uid" })).toContain(
      "waits for Cluster default/c1 to be created",
    );
    const there = { object: "Cluster default/c1", field: "metadata.uid", value: "u" };
    expect(waiting({ ...there, isGoing: true })).toContain("waits for Cluster default/c1 to be deleted");
    expect(waiting(there)).toContain("waits for any Cluster to come or go");
    expect(waiting({ ...there, field: "status.conditions", value: "a list of 9" })).toContain(
      "waits for Cluster default/c1: status.conditions, a list of 9, to change",
    );
    expect(waiting({ object: "Cluster default/c1", field: "spec.x" })).toContain("spec.x is not set");
    expect(waiting({ what: "SimServer deleted", object: "SimServer c1" })).toContain(
      "SimServer c1 to be deleted",
    );
  });

  it.each([
    [{ until: new Date("2026-01-01T12:00:24Z"), failures: 3 }, "next run  in 24s, after 3 failures"],
    [
      { state: "ready", since: new Date("2026-01-01T11:59:57Z") },
      "as soon as a worker is free; ready for 3s",
    ],
    [
      { state: "running", since: new Date("2026-01-01T11:59:59Z"), owner: "w1" },
      "it runs now, for 1s, at w1",
    ],
    [
      {
        state: "dead",
        since: new Date("2026-01-01T11:58:01Z"),
        until: new Date("2026-01-01T12:00:24Z"),
        failures: 16,
      },
      "next run  in 24s, or when its object changes; dead for 119s, after 16 failures",
    ],
  ] as const)("says when it runs next: %j", (state, text) => {
    expect(textOf(inState(state)).join("\n")).toContain(text);
  });

  it("puts death first, with the error, what it would do now, and the command for its letter", () => {
    const failure = { class: "Transient", reason: "NoAnswer", message: "no\nanswer" } as const;
    const lines = textOf({
      ...inState({ state: "dead", failures: 16, failure }),
      deadLetter: {
        function: "machinepool-nodes",
        key: KEY,
        reason: "MaxAttempts",
        times: 1,
        deadSince: "2026-01-01T11:00:00Z",
        error: { class: "Transient", reason: "NoAnswer", message: "no answer" },
      } as unknown as NonNullable<ExplainedFunction["deadLetter"]>,
    }).join("\n");
    expect(lines).toContain("dead, and tried again every 10 to 15 minutes: no answer");
    expect(lines).toContain("now       nothing to do");
    expect(lines).toContain("error     Transient NoAnswer: no answer");
    expect(lines).toContain(`capstan dlq show machinepool-nodes '${KEY}' (MaxAttempts, 1×)`);
  });

  it("shows when a run is due that no event has caused", () => {
    const lines = textOf({ history: {}, now: { wouldSend: ["patch MachinePool default/p1"] } });
    expect(lines[1]).toContain("would patch MachinePool default/p1; but nothing is queued");
  });

  it("shows conditions that are not as one wants them, and objects that are not there", () => {
    const condition = { type: "Available", status: "False", reason: "NotAvailable", message: "0 of 3" };
    const gone = {
      object: "SimMachinePool default/p1",
      problem: "does not exist",
      conditions: [],
      functions: [],
      children: [],
      more: [],
    };
    const lines = textOf(
      {},
      { conditions: [condition], children: [gone], more: [{ kind: "Machine", state: "ready", count: 980 }] },
    );
    expect(lines).toEqual([
      "MachinePool default/p1  Running  3 of 3 Nodes",
      "│ Available False (NotAvailable): 0 of 3",
      "├─ machinepool-nodes  nothing to do",
      "├─ SimMachinePool default/p1  does not exist",
      "└─ 980 Machines ready",
    ]);
  });
});
