import { describe, expect, it } from "vitest";
import { type Kind, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import type { LetterRead } from "../../../../shared/runtime/letters/dead-letter.ts";
import { createReplayReader } from "../../../../shared/runtime/letters/replay-reader.ts";
import { recordReads } from "../../../../shared/runtime/read/record-reads.ts";

const { group, version, kind, plural, namespaced } = MachinePool;
const POOL: Kind = { group, version, kind, plural, namespaced };
const KEY = { namespace: "default", name: "p1" };
const OBJECT = { apiVersion: `${group}/${version}`, kind, metadata: { ...KEY, resourceVersion: "20" } };

/** A reader that gives this answer to `get` and `live.get` of pool p1, and nothing else. */
function reader(answer: LetterRead["answer"], source: LetterRead["source"] = "snapshot") {
  const question = { cluster: MANAGEMENT, kind: POOL, key: KEY };
  return createReplayReader([
    { question: { call: "get", ...question }, source, answer, found: [] },
    { question: { call: "live.get", ...question }, source: "live", answer, found: [] },
  ]);
}

describe("recorded reads", () => {
  it("keep question, source and answer in order, and answer as before", async () => {
    const recorder = recordReads(reader({ type: "object", object: OBJECT }));
    expect(await recorder.get(POOL, KEY)).toEqual(OBJECT);
    expect(await recorder.live.get(POOL, KEY)).toEqual(OBJECT);
    const answer = { type: "object", object: OBJECT };
    expect(recorder.asked()).toMatchObject([
      { question: { call: "get", cluster: MANAGEMENT, key: KEY }, source: "snapshot", answer },
      { question: { call: "live.get", cluster: MANAGEMENT, key: KEY }, source: "live", answer },
    ]);
  });

  it("keep that an object did not exist", async () => {
    const recorder = recordReads(reader({ type: "object" }));
    expect(await recorder.get(POOL, KEY)).toBeUndefined();
    expect(recorder.asked().map(({ answer }) => answer)).toEqual([{ type: "object", object: undefined }]);
  });

  it("call a snapshot read live when a fence sent it to the server", async () => {
    const recorder = recordReads(reader({ type: "object", object: OBJECT }, "live"));
    await recorder.get(POOL, KEY);
    expect(recorder.asked()).toMatchObject([{ question: { call: "get" }, source: "live" }]);
    expect(recorder.liveVersion(MANAGEMENT, POOL, KEY)).toBe("20");
  });

  it("call a list live when a fence sent it to the server, so that a replay has the same evidence", async () => {
    const question = { call: "list" as const, cluster: MANAGEMENT, kind: POOL, selection: {} };
    const answer = { type: "list" as const, items: [OBJECT] };
    const inner = createReplayReader([{ question, source: "snapshot", answer, found: [] }]);
    const fence = { cluster: MANAGEMENT, group, kind, namespace: "", name: "", resourceVersion: "20" };
    const recorder = recordReads({ ...inner, listedInstead: () => [fence] });
    await recorder.list(POOL, {});
    expect(recorder.asked()).toMatchObject([{ question: { call: "list" }, source: "live" }]);
  });

  it("keep a question without an answer behind those that have one, and what was asked later too", async () => {
    const other = { namespace: "default", name: "p2" };
    const recorder = recordReads(reader({ type: "object", object: OBJECT }));
    const [late, known] = [recorder.live.get(POOL, KEY), recorder.get(POOL, KEY)];
    const unknown = recorder.get(POOL, other).catch((error: unknown) => error);
    expect(recorder.asked().map(({ answer }) => answer.type)).toEqual(Array(3).fill("unanswered"));
    const before = recorder.asked();
    await Promise.all([late, known]);
    const failed = await unknown;
    expect(before.map(({ answer }) => answer.type)).toEqual(Array(3).fill("unanswered"));
    expect(recorder.asked().map(({ answer }) => answer.type)).toEqual(["object", "object", "error"]);
    void recorder.list(POOL, {}).catch(() => undefined);
    const inOrderOfAnswers = ["get", "live.get", "get", "list"];
    expect(recorder.asked(failed).map(({ question }) => question.call)).toEqual(inOrderOfAnswers);
  });

  it("do not count what was answered after the read that the step failed with", async () => {
    const error = { name: "Error", class: "Transient", reason: "Reset", message: "reset" } as const;
    const recorder = recordReads(reader({ type: "error", error }));
    const thrown = await recorder.live.get(POOL, KEY).catch((failure: unknown) => failure);
    await recorder.get(POOL, KEY).catch(() => undefined);
    expect(recorder.asked().map(({ answer }) => answer.type)).toEqual(["error", "error"]);
    expect(recorder.asked(thrown)).toMatchObject([
      { question: { call: "live.get" }, answer: { type: "error" } },
      { question: { call: "get" }, answer: { type: "unanswered" } },
    ]);
  });

  it("keep the error of a read, which the step meets as well", async () => {
    const error = {
      name: "WaitingError",
      class: "Waiting",
      reason: "Waiting",
      message: "waiting for x",
    } as const;
    const recorder = recordReads(reader({ type: "error", error }));
    await expect(recorder.get(POOL, KEY)).rejects.toThrow("waiting for x");
    expect(recorder.asked()).toMatchObject([
      { question: { call: "get" }, answer: { type: "error", error: { name: "WaitingError", what: "x" } } },
    ]);
  });
});
