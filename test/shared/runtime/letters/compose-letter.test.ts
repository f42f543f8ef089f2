import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import type { AttemptRecord } from "../../../../shared/runtime/attempt-record.ts";
import {
  composeLetter,
  errorOf,
  plainDecision,
  summarizeAttempt,
} from "../../../../shared/runtime/letters/compose-letter.ts";
import { parseDeadLetter } from "../../../../shared/runtime/letters/dead-letter.ts";
import type { FailedRun } from "../../../../shared/runtime/letters/dead-letters-port.ts";
import { replay } from "../../../../shared/runtime/letters/replay.ts";
import { cluster, machinePool } from "../../../support/builders.ts";
import { letterOfFailure } from "../../../support/failed-run.ts";
import { POOL_KEY } from "../../../support/letters.ts";
import { poolCheck } from "../../../support/poisoned/pool/check.ts";
import { NOW } from "../../../support/world.ts";

const MIB = 1_048_576;
const hide = (): string => "hmac-sha256:0123456789abcdef";
const poisoned = machinePool({ metadata: { annotations: { "test.capstan.dev/poison": "malformed" } } });
const failure = { class: "Transient", reason: "Error", message: "no" } as const;
const run: FailedRun = {
  function: "pool-check",
  key: POOL_KEY,
  failure,
  failures: 3,
  retries: 0,
  causes: [],
};
const death = { reason: "MaxAttempts", priority: "live", since: NOW } as const;

async function letterOf(failed: FailedRun) {
  const attempts = [summarizeAttempt(failed, NOW, hide)];
  const history = { firstFailureAt: NOW.toISOString(), attempts };
  const build = { version: "0.1.0", configDigest: "sha256:0" };
  return parseDeadLetter(
    JSON.parse(JSON.stringify(await composeLetter({ ...failed, death }, { build, history, hide }))),
  );
}

/** A run that listed this many objects of so many bytes and threw. */
function recordOf(count: number, bytes: number): AttemptRecord {
  const items = Array.from({ length: count }, (_, n): KubeObject => {
    const object = machinePool({ metadata: { name: `p${n}` } });
    return { ...object, ...{ note: "x ".repeat(bytes / 2) } };
  });
  const kind = { group: "", version: "v1", kind: "Node", plural: "nodes", namespaced: false };
  const question = { call: "list", cluster: "management", kind, selection: {} } as const;
  const read = { question, source: "snapshot", answer: { type: "list", items } } as const;
  const small = {
    ...read,
    question: { ...question, cluster: "default/c1" },
    answer: { type: "list", items: [] },
  } as const;
  return {
    runId: "r1",
    startedAt: NOW,
    durationMs: 5,
    clock: NOW,
    reads: [small, read],
    writes: [],
    thrown: new Error("no"),
    accepted: false,
  };
}

describe("a dead letter", () => {
  it("holds every read in order with versions, also of what was not found, and the clock", async () => {
    const letter = await letterOfFailure(poolCheck, { snapshots: [poisoned], served: [cluster()] });
    const seen = letter.run?.reads.map(({ question, source, found }) => [
      question.call,
      "kind" in question && question.kind.kind,
      source,
      found.map(({ uid, resourceVersion }) => `${uid}@${resourceVersion}`),
    ]);
    expect(seen).toEqual([
      ["get", "MachinePool", "snapshot", ["uid-p1@20"]],
      ["live.get", "Cluster", "live", ["uid-c1@10"]],
      ["live.secret", "Secret", "live", []],
    ]);
    expect(letter.run?.clock).toBe(NOW.toISOString());
    expect(letter.run?.error?.stack).toContain("check.ts");
    expect(letter.attempts).toMatchObject([{ run: "r1", failures: 3, again: 1, owner: "worker-1/0" }]);
    expect(letter).toMatchObject({
      tenant: "default/c1",
      reason: "MaxAttempts",
      causes: [{ what: expect.any(String) }],
    });
  });

  it("names kinds in a decision, and says which owned field is given up", () => {
    const decision = {
      apply: { "status.phase": undefined, "status.a": 1 },
      delete: [{ kind: MachinePool, name: "a" }],
    };
    const { group, version, kind, plural, namespaced } = MachinePool;
    expect(plainDecision(decision)).toEqual({
      apply: { "status.phase": null, "status.a": 1 },
      delete: [{ kind: { group, version, kind, plural, namespaced }, name: "a" }],
    });
  });

  it("has at most a MiB: the largest bodies are left out, and it says so", async () => {
    const letter = await letterOf({ ...run, record: recordOf(200, 10_000) });
    expect(JSON.stringify(letter).length).toBeLessThanOrEqual(MIB);
    expect(letter.truncated).toEqual(["run.reads.1.answer"]);
    expect(letter.run?.reads.map(({ answer }) => answer.type)).toEqual(["list", "truncated"]);
    expect(letter.run?.reads[1]?.found).toHaveLength(100);
    expect((await replay(poolCheck, letter, systemClock)).type).toBe("not replayable");
  });

  it("gives up the decision, and at last the run, when nothing else makes it fit", async () => {
    const decision = { result: { type: "done" }, events: ["x ".repeat(MIB)] };
    const letter = await letterOf({ ...run, record: { ...recordOf(1, 10), decision } });
    expect(letter.truncated).toContain("run.decision");
    expect(await replay(poolCheck, letter, systemClock)).toMatchObject({ type: "not replayable" });
    const writes = Array.from({ length: 20_000 }, () => ({
      verb: "create" as const,
      cluster: "x".repeat(100),
      kind: { group: "", version: "v1", kind: "Node", plural: "nodes", namespaced: false },
      key: { namespace: "", name: "a" },
      fieldManager: "capstan-pool-check",
      outcome: {},
    }));
    const bare = await letterOf({ ...run, record: { ...recordOf(1, 10), writes } });
    expect(bare).toMatchObject({ truncated: ["run"] });
    expect(JSON.stringify(bare).length).toBeLessThanOrEqual(MIB);
  });

  it("survives a key, a cause, a message and a stack of a MiB", async () => {
    const long = "a".repeat(MIB);
    const error = new Error(long);
    error.stack = long;
    const letter = await letterOf({
      ...run,
      key: long,
      owner: long,
      causes: Array.from({ length: 50 }, () => ({ what: long })),
      failure: { ...failure, message: long },
      record: { ...recordOf(1, 1), thrown: error },
    });
    expect(letter.key).toHaveLength(480);
    expect(letter.causes).toHaveLength(20);
    expect(letter.run?.error?.stack?.length).toBeLessThanOrEqual(8 * 1024);
    expect(JSON.stringify(letter).length).toBeLessThan(100_000);
  });

  it("S-21: scrubs messages and stacks", () => {
    const error = new Error("GET https://a:b3@host said Bearer abc3");
    expect(JSON.stringify(errorOf(error, hide))).not.toMatch(/b3|abc3/);
    expect(errorOf("a text", hide)).toMatchObject({ name: "Unknown", message: "a text" });
  });

  it("of an unfinished run holds the recorded part", async () => {
    const expired = { class: "Transient", reason: "LeaseExpired", message: "the lease expired" } as const;
    const letter = await letterOf({ ...run, failure: expired });
    expect(letter.run).toBeUndefined();
    expect(letter.attempts).toMatchObject([{ error: { reason: "LeaseExpired" }, durationMs: 0 }]);
  });
});
