import { describe, expect, it } from "vitest";
import { letterBody } from "../../../../../infra/console/page/letters/letter-body.ts";

describe("a stored letter", () => {
  it("shows its reads and writes in one line each", () => {
    const kind = { kind: "Machine" };
    const body = letterBody({
      run: {
        reads: [
          {
            question: { call: "get", kind, key: { namespace: "a", name: "b" } },
            source: "snapshot",
            answer: { type: "object" },
            found: [{ name: "b", resourceVersion: "7" }],
          },
          {
            question: { call: "list", kind },
            source: "live",
            answer: { type: "error", error: { message: "403" } },
            found: [],
          },
        ],
        writes: [
          {
            verb: "apply",
            ref: { kind, namespace: "a", name: "b" },
            subresource: "status",
            outcome: { resourceVersion: "8" },
          },
        ],
      },
    });
    expect(body.reads).toEqual(["get Machine a/b (snapshot) → b@7", "list Machine  (live) → 403"]);
    expect(body.writes).toEqual(["apply Machine/status a/b → version 8"]);
  });

  it.each([
    [{}],
    [{ attempts: 3, causes: "x", run: null, truncated: {} }],
    [{ attempts: [null, "x"], run: { reads: [[]] } }],
  ])("is shown as far as it is well formed: %j", (letter) => {
    expect(() => letterBody(letter)).not.toThrow();
  });
});
