import { describe, expect, it } from "vitest";
import type { DeadLetter, LetterRun } from "../../../../shared/runtime/letters/dead-letter.ts";
import { fitLetter } from "../../../../shared/runtime/letters/fit-letter.ts";
import { deadLetter } from "../../../support/letters.ts";

const MIB = 1_048_576;
const NODE = { group: "", version: "v1", kind: "Node", plural: "nodes", namespaced: false };

type Read = LetterRun["reads"][number];
type Write = LetterRun["writes"][number];

function readOf(bytes: number): Read {
  const object = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, note: "x".repeat(bytes) };
  return {
    question: { call: "get", cluster: "management", kind: NODE, key: { namespace: "", name: "n" } },
    source: "snapshot",
    answer: { type: "object", object } as Read["answer"],
    found: [],
  };
}

function writeOf(bytes: number): Write {
  return {
    verb: "create",
    ref: { cluster: "management", kind: NODE, namespace: "", name: "n" },
    fieldManager: "capstan-machinepool-status",
    body: { note: "x".repeat(bytes) },
    outcome: {},
  };
}

function letterOf(run: Partial<LetterRun>): DeadLetter {
  return deadLetter({ run: { reads: [], writes: [], digest: "sha256:1", ...run } });
}

const bytesOf = (letter: DeadLetter): number => JSON.stringify(letter).length;

describe("a letter that fits", () => {
  it("is left as it is", () => {
    const letter = letterOf({ reads: [readOf(1_000)], writes: [writeOf(1_000)] });
    expect(fitLetter(letter)).toBe(letter);
  });

  it("lost its largest bodies and no more, and names them", () => {
    const reads = [readOf(200_000), readOf(700_000)];
    const letter = fitLetter(letterOf({ reads, writes: [writeOf(300_000)] }));
    expect(letter.truncated).toEqual(["run.reads.1.answer"]);
    expect(letter.run?.reads.map(({ answer }) => answer.type)).toEqual(["object", "truncated"]);
    expect(letter.run?.writes[0]?.body).toEqual({ note: "x".repeat(300_000) });
    expect(bytesOf(letter)).toBeLessThanOrEqual(MIB);
  });

  it("lost bodies of writes as well when reads are not enough", () => {
    const letter = fitLetter(
      letterOf({ reads: [readOf(100)], writes: [writeOf(600_000), writeOf(900_000)] }),
    );
    expect(letter.truncated).toEqual(["run.writes.1.body"]);
    expect(letter.run?.writes.map(({ body }) => typeof body)).toEqual(["object", "string"]);
  });

  it("keeps that a read had no answer, of which nothing can be left out", () => {
    const unanswered: Read = { ...readOf(1), answer: { type: "unanswered" } };
    const letter = fitLetter(letterOf({ reads: [readOf(800_000), unanswered, readOf(800_000)] }));
    expect(letter.run?.reads.map(({ answer }) => answer.type)).toContain("unanswered");
    const decision = { result: { type: "done" }, events: ["x".repeat(MIB)] } as unknown as object;
    const undecided = fitLetter(letterOf({ reads: [unanswered], decision: decision as never }));
    expect(undecided.run?.reads).toEqual([unanswered]);
  });

  it("gives up the decision, and at last the run", () => {
    const decision = { result: { type: "done" }, events: ["x".repeat(MIB)] } as unknown as object;
    const undecided = fitLetter(letterOf({ reads: [readOf(10)], decision: decision as never }));
    expect(undecided.run).toMatchObject({ reads: [{ answer: { type: "truncated" } }] });
    expect(undecided.run).not.toHaveProperty("decision");
    expect(undecided.truncated).toContain("run.decision");
    const bare = fitLetter(letterOf({ writes: Array.from({ length: 20_000 }, () => writeOf(1)) }));
    expect(bare.run).toBeUndefined();
    expect(bare.truncated).toEqual(["run"]);
    expect(bytesOf(bare)).toBeLessThanOrEqual(MIB);
  });
});
