import { describe, expect, it } from "vitest";
import { judge } from "../../../../infra/operate/replay/verdict.ts";
import type { Decided } from "../../../../shared/runtime/letters/replay.ts";
import { deadLetter } from "../../../support/letters.ts";

const WELL: Decided = { result: "done", ok: true, requests: [], digest: "sha256:1" };
const THREW: Decided = { result: "threw Error: no", ok: false, requests: [], digest: "sha256:2" };
const refused = {
  verb: "patch",
  ref: {
    cluster: "management",
    kind: { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true },
    namespace: "default",
    name: "s",
  },
  fieldManager: "capstan-x",
  outcome: {
    error: { name: "KubeError", class: "Transient", reason: "InternalError", message: "try later" },
  },
} as const;

describe("the verdict about a replay", () => {
  it.each([
    [
      "a decision in place of an error",
      { type: "different", recorded: THREW, replayed: WELL },
      "succeeds",
      undefined,
    ],
    [
      "the same error",
      { type: "reproduced", recorded: THREW, replayed: THREW },
      "fails-as-before",
      "threw Error: no",
    ],
    [
      "another error",
      { type: "different", recorded: THREW, replayed: { ...THREW, result: "threw TypeError: x" } },
      "differs",
      "threw TypeError: x",
    ],
    [
      "a replay that was cut",
      { type: "cut", why: "it did not end within 2 s" },
      "unknown",
      "it did not end within 2 s",
    ],
    ["a letter without a run", { type: "not replayable", why: "nothing ran" }, "unknown", "nothing ran"],
  ] as const)("of %s", (_, result, verdict, why) => {
    expect(judge(deadLetter(), result)).toEqual(why === undefined ? { verdict } : { verdict, why });
  });

  it("does not promise that a refused request would be accepted now", () => {
    const run = { reads: [], writes: [refused], digest: "sha256:1" };
    expect(judge(deadLetter({ run }), { type: "reproduced", recorded: WELL, replayed: WELL })).toEqual({
      verdict: "unknown",
      why: "it decides as it did, and its request was refused: try later",
    });
  });
});
