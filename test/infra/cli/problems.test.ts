import { describe, expect, it } from "vitest";
import { textOfProblems } from "../../../infra/cli/problems.ts";

describe("a list without problems", () => {
  const calm = { namespace: "a", isAsked: true, unserved: [] };

  it.each([
    ["of one namespace", calm, ["no problems in namespace a; -A looks at all"]],
    [
      "without a queue",
      { ...calm, namespace: undefined, isAsked: false },
      ["no problems", expect.stringContaining("was not asked")],
    ],
    [
      "without workers",
      {
        ...calm,
        namespace: undefined,
        unserved: ["machine-node", "cluster-sync"].map((name) => ({ function: name })),
      },
      ["no problems", "no worker is seen for machine-node and 1 more: what they do next would wait"],
    ],
  ])("says what it rests on: %s", (_, asked, lines) => {
    expect(textOfProblems([], asked)).toEqual(lines);
  });
});
